"""A queue on a real Postgres, a repository whose sweep can be held up, and workers as processes of their own."""

import os
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from pactkeeper.jobs.queue import Queue, open_queue, queue_url
from pactkeeper.store.database import open_database
from tests.doors.projects import Project
from tests.repo.repositories import create
from tests.waiting import until

CHECK = """\
echo begin >> {log}
while [ -e {hold} ]; do sleep 0.05; done
echo end >> {log}
"""
PACT = """\
[pact]
format = 1

[[health.check]]
name = "script"
category = "test"
argv = ["sh", "check.sh"]
"""


@pytest.fixture(scope="session")
def queue_template(postgres):
    """A database with an empty queue, to be copied: making one takes longer than most tests."""
    pytest.importorskip("dbos")
    with postgres.database() as url:
        open_database(url).close()
        with open_queue(queue_url(url), made=False):
            pass
        yield url.partition("?")[0].rpartition("/")[2]


@pytest.fixture
def url(postgres, queue_template):
    with postgres.database(f"TEMPLATE {queue_template}") as made:
        yield made


@pytest.fixture
def queue(url):
    with open_queue(queue_url(url), made=True) as opened:
        yield opened


@pytest.fixture
def database(url):
    opened = open_database(url)
    yield opened
    opened.close()


@dataclass
class Team:
    """Repositories whose checks are held up while a file is there, and workers on their queue."""

    folder: Path
    url: str
    queue: Queue
    workers: list = field(default_factory=list)

    @property
    def environment(self):
        return {
            **os.environ,
            "PACTKEEPER_DATABASE_URL": self.url,
            "PACTKEEPER_TRUST_CHECKS": "any",
            "XDG_CACHE_HOME": str(self.folder / "cache"),
            "XDG_DATA_HOME": str(self.folder / "data"),
            "NO_COLOR": "1",
        }

    @property
    def hold(self):
        return self.folder / "hold"

    @property
    def log(self):
        place = self.folder / "log"
        return place.read_text().split() if place.exists() else []

    def repository(self, name="shop"):
        script = CHECK.format(log=self.folder / "log", hold=self.hold)
        create(
            self.folder / name, {"pact/pact.toml": PACT, "check.sh": script, "tests/test_a.py": "def test_a(): ...\n"}
        )
        return self.folder / name

    def pk(self, *arguments, at=None, code=0):
        done = Project(at or self.folder).pk(*arguments, code=code, env=self.environment)
        return done.out + done.err

    def add(self, kind, *arguments, at):
        return self.pk("jobs", "add", kind, *arguments, at=at).split()[0]

    def worker(self, *, silence=4, drain=0):
        command = [sys.executable, "-m", "pactkeeper", "worker", "--silence", str(silence), "--drain", str(drain)]
        log = (self.folder / f"worker-{len(self.workers)}").open("w+b")
        process = subprocess.Popen(command, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, stderr=log)
        self.workers.append((process, log))
        return process

    def said(self, number):
        return (self.folder / f"worker-{number}").read_text()

    def state(self, job):
        return self.queue.job(job).state

    def ends(self, job):
        until(lambda: self.state(job) not in {"waiting", "running"}, job)
        return self.queue.job(job)

    def end(self):
        for process, log in self.workers:
            process.send_signal(signal.SIGCONT)
            process.kill()
            process.wait()
            log.close()


@pytest.fixture
def team(tmp_path, url, queue):
    made = Team(tmp_path, url, queue)
    yield made
    made.end()
    shutil.rmtree(tmp_path / "cache", ignore_errors=True)
