"""A team's hours in minutes: workers on several hosts, killed, stopped, cut off and left without Postgres at random.

`python -m bench.jobs.campaign --hours 2 --seconds 900` plays two hours of events in 15 minutes: what comes in and what
goes wrong is drawn for those hours, whatever the workers get done. It prints what was lost, doubled and overlapped (all
of it should be 0), how long hand-overs and waiting took, and how many jobs a minute came through. Without `--hours`
there is always work. Needs Postgres; as root the hosts are network namespaces.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.jobs.hosts import NETWORK, Host, Worker, hosts, ip
from pactkeeper.errors import PactkeeperError
from pactkeeper.jobs.job import Job
from pactkeeper.jobs.queue import JobFilter, Queue, QueueLimits, open_queue, queue_url
from pactkeeper.repo.git import Repository
from pactkeeper.repo.identity import identity
from pactkeeper.store.database import open_database
from tests.postgres import Server, start_server

PACT = """\
[pact]
format = 1

[[health.check]]
name = "script"
category = "test"
argv = ["sh", "check.sh"]
"""
CHECK = """\
echo "begin {name} $$" >> {log}
sleep 0.$(( $$ % 8 ))
echo "end {name} $$" >> {log}
"""
PER_FILE = 20
KINDS = ("sweep", "sweep", "sweep", "reconcile", "tick")


@dataclass
class Campaign:
    """What to do and where."""

    seconds: float
    hosts: int
    workers: int
    repositories: int
    seed: int
    apart: bool
    calm: bool
    silence: float
    folder: Path
    sizes: tuple[int, int] = (20, 100)
    hours: float = 0.0
    per_hour: tuple[float, float] = (90.0, 40.0)  # jobs and troubles
    chance: random.Random = field(default_factory=random.Random)
    done: Counter[str] = field(default_factory=Counter)

    def tests_of(self, number: int) -> float:
        """How many tests a repository has: evenly many of each order of magnitude between the two sizes."""
        least, most = self.sizes
        return float(least * (most / least) ** (number / max(self.repositories - 1, 1)))

    def times(self, per_hour: float) -> list[float]:
        """When something happens that often an hour, in seconds of this run."""
        return sorted(self.chance.uniform(0, self.seconds) for _ in range(round(self.hours * per_hour)))

    def say(self, text: str) -> None:
        """Tell whoever watches."""
        print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def git(folder: Path, *arguments: str) -> str:
    named = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    done = subprocess.run(["git", *named, *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def make_repositories(campaign: Campaign, found: Sequence[Host]) -> list[tuple[str, str, str]]:
    """The repositories as name, id and commit; every host has clones of its own."""
    made = []
    for number in range(campaign.repositories):
        name = f"r{number:02}"
        place = found[0].folder / name
        (place / "tests").mkdir(parents=True)
        (place / "pact").mkdir()
        (place / "pact/pact.toml").write_text(PACT)
        (place / "check.sh").write_text(CHECK.format(name=name, log=campaign.folder / "executions"))
        for file in range(round(campaign.tests_of(number) / PER_FILE)):
            tests = [
                f'def test_{name}_{file}_{one}():\n    """Sum {one} is right."""\n    assert 1 + {one} == {one + 1}\n'
                for one in range(PER_FILE)
            ]
            (place / f"tests/test_{file}.py").write_text("\n\n".join(tests))
        git(place, "init", "-q", "-b", "main")
        git(place, "add", "-A")
        git(place, "commit", "-qm", f"Start {name}")
        commit = git(place, "rev-parse", "HEAD")
        git(place, "remote", "add", "origin", f"https://git.example.org/team/{name}.git")
        repository = Repository.open(place)
        made.append((name, identity(repository, repository.common_dir / "pact"), commit))
        for other in found[1:]:
            if other.folder != found[0].folder:
                shutil.copytree(place, other.folder / name, symlinks=True)
    return made


@contextmanager
def server(campaign: Campaign) -> Iterator[tuple[Server, str]]:
    """A Postgres of our own that the hosts reach, and the URL of an empty database."""
    listening = {"listen_addresses": f"{NETWORK}.1"} if campaign.apart else {}
    made = start_server(max_connections=400, **listening)
    try:
        if campaign.apart and made.folder:
            with (made.folder / "data/pg_hba.conf").open("a") as rules:
                rules.write(f"host all all {NETWORK}.0/24 trust\n")
            made.sql("SELECT pg_reload_conf()")
        with made.database() as url:
            name = url.partition("?")[0].rpartition("/")[2]
            yield made, f"postgresql://pactkeeper@{NETWORK}.1/{name}" if campaign.apart else url
    finally:
        made.stop()
        if made.folder:
            shutil.rmtree(made.folder, ignore_errors=True)


class Feeding:
    """Adds jobs at the times that were drawn for them; without times, so many that workers always find some."""

    def __init__(
        self, campaign: Campaign, queue: Queue, repositories: Sequence[tuple[str, str, str]], seen: Path
    ) -> None:
        self.campaign, self.queue, self.repositories, self.seen = campaign, queue, repositories, seen
        self.times = campaign.times(campaign.per_hour[0])
        self.added: list[Job] = []

    def feed(self, elapsed: float) -> None:
        """Add what has come by now; what could not be added is tried again, as a forge does."""
        if self.campaign.hours:
            wanted = sum(one <= elapsed for one in self.times) - len(self.added)
        else:
            most = 3 * self.campaign.workers
            wanted = most - len(self.queue.jobs(JobFilter("waiting", limit=most)))
        for _ in range(wanted):
            name, subject, commit = self.campaign.chance.choice(self.repositories)
            kind = self.campaign.chance.choice(KINDS)
            job = Job(kind, subject, str(self.seen / name), f"{commit} {len(self.added)}", commit)
            self.queue.add(job)
            self.queue.add(job)  # a webhook that comes twice
            self.added.append(job)


@dataclass
class Scene:
    """What can get into trouble."""

    workers: Sequence[Worker]
    hosts: Sequence[Host]
    postgres: Server


def trouble(campaign: Campaign, scene: Scene) -> Callable[[], None]:
    """Something bad that happens; returns what ends it."""
    chance = campaign.chance
    worker, host = chance.choice(scene.workers), chance.choice(scene.hosts)
    kinds = ["kill", "kill", "stop", "stop", "restart"] + (["cut", "cut"] if campaign.apart else [])
    kind = chance.choice(kinds)
    campaign.done[kind] += 1
    campaign.say(
        f"{kind} {worker.log.name if kind in {'kill', 'stop'} else host.name if kind == 'cut' else 'postgres'}"
    )
    if kind == "kill":
        worker.send(signal.SIGKILL)
        return lambda: None
    if kind == "stop":
        worker.send(signal.SIGSTOP)
        return lambda: worker.send(signal.SIGCONT)
    if kind == "cut":
        host.cut(off=True)
        return lambda: host.cut(off=False)
    scene.postgres.stop()
    time.sleep(chance.uniform(0, 4))
    scene.postgres.start()
    return lambda: None


def run(campaign: Campaign) -> dict[str, Any]:
    campaign.chance.seed(campaign.seed)
    with ExitStack() as stack:
        found = stack.enter_context(hosts(campaign.hosts, campaign.folder, apart=campaign.apart))
        repositories = make_repositories(campaign, found)
        postgres, url = stack.enter_context(server(campaign))
        campaign.say(f"{len(repositories)} repositories on {len(found)} hosts")
        open_database(url).close()
        queue = stack.enter_context(open_queue(queue_url(url), made=False))
        queue.limit(QueueLimits(1))
        workers = _workers(campaign, found, url)
        feeding = Feeding(campaign, queue, repositories, found[0].seen)
        began = time.monotonic()
        try:
            _trouble_for_a_while(campaign, Scene(workers, found, postgres), feeding)
            campaign.say(f"no more trouble; {len(feeding.added)} jobs were added")
            _wait_for_all(campaign, workers, queue)
        finally:
            for one in workers:
                one.end()
        return report(campaign, queue, feeding.added, time.monotonic() - began)


def _workers(campaign: Campaign, found: Sequence[Host], url: str) -> list[Worker]:
    made = []
    for number in range(campaign.workers):
        host = found[number % len(found)]
        data = campaign.folder / f"data{host.number}"
        surroundings = {
            **os.environ,
            "PACTKEEPER_DATABASE_URL": url,
            "PACTKEEPER_TRUST_CHECKS": "any",
            "XDG_CACHE_HOME": str(data / "cache"),
            "XDG_DATA_HOME": str(data / "data"),
            "XDG_CONFIG_HOME": str(data / "config"),
        }
        skew = 0.0 if campaign.calm else campaign.chance.uniform(-120, 120)
        made.append(Worker(host, surroundings, campaign.folder / f"worker-{number}", skew, campaign.silence))
    return made


def _troubles(campaign: Campaign) -> Iterator[float]:
    """When something bad happens, in seconds of this run."""
    if campaign.calm:
        return
    yield from campaign.times(campaign.per_hour[1])
    at = 0.0
    while not campaign.hours:
        yield at
        at += campaign.chance.uniform(4, 14)


def _trouble_for_a_while(campaign: Campaign, scene: Scene, feeding: Feeding) -> None:
    began, endings, bad = time.monotonic(), list[tuple[float, Callable[[], None]]](), _troubles(campaign)
    bad_at = next(bad, campaign.seconds)
    while (elapsed := time.monotonic() - began) < campaign.seconds:
        for one in scene.workers:
            one.ensure()
        try:
            feeding.feed(elapsed)
        except PactkeeperError as error:
            campaign.say(f"nothing was added: {error}")
        for at, end in [one for one in endings if one[0] <= elapsed]:
            end()
            endings.remove((at, end))
        while bad_at <= elapsed:
            endings.append((elapsed + campaign.chance.uniform(2, 3 * campaign.silence), trouble(campaign, scene)))
            bad_at = next(bad, campaign.seconds)
        time.sleep(0.5)
    for _, end in endings:
        end()


def _wait_for_all(campaign: Campaign, workers: Sequence[Worker], queue: Queue) -> None:
    until = time.monotonic() + 300 + campaign.seconds
    while time.monotonic() < until:
        for one in workers:
            one.ensure()
        if not {"waiting", "running"} & {one.state for one in queue.jobs(JobFilter(limit=1_000_000))}:
            return  # one question: a job that changes from one state to the other between two would be in neither
        time.sleep(1)


def report(campaign: Campaign, queue: Queue, added: Sequence[Job], seconds: float) -> dict[str, Any]:
    """What became of every job and what is in the history because of it."""
    rows = {one.id: one for one in queue.jobs(JobFilter(limit=1_000_000))}
    states = Counter(rows[job.id].state if job.id in rows else "unknown" for job in added)
    failed = [
        rows[job.id].error.splitlines()[0][:200] for job in added if job.id in rows and rows[job.id].state == "failed"
    ]
    wanted = Counter((job.kind, job.subject) for job in added if job.id in rows and rows[job.id].state == "done")
    database = open_database(queue.address.url.render_as_string(hide_password=False))
    try:
        effects, late = _effects(database), _hand_overs(database)
    finally:
        database.close()
    checks, overlaps = _executions(campaign.folder / "executions")
    doubled = sum(max(0, effects[key] - wanted[key]) for key in effects)
    missing = sum(max(0, wanted[key] - effects[key]) for key in wanted if key[0] in {"sweep", "reconcile"})
    return {
        "hours, compressed": [campaign.hours, round(3600 * campaign.hours / campaign.seconds, 1)],
        "hosts": campaign.hosts,
        "network namespaces": campaign.apart,
        "workers": campaign.workers,
        "repositories": campaign.repositories,
        "tests of each": campaign.sizes,
        "seed": campaign.seed,
        "seconds": round(seconds),
        "trouble": dict(campaign.done),
        "jobs added": len(added),
        "states": dict(states),
        "failed because": Counter(failed).most_common(5),
        "lost": len(added) - states["done"] - states["failed"] - states["cancelled"],
        "effects": sum(effects.values()),
        "effects doubled": doubled,
        "effects missing": missing,
        "doubled of": {f"{kind} {of}": count for (kind, of), count in effects.items() if count > wanted[kind, of]},
        "checks": checks,
        "checks of one repository at the same time": overlaps,
        "hand-overs": len(late),
        "seconds from the last heartbeat to the hand-over": _spread(late),
        "seconds that jobs waited and ran": _spread([(one.ended - one.added) / 1000 for one in rows.values()]),
        "jobs a minute": round(60 * states["done"] / seconds, 1),
    }


def _effects(database: Any) -> Counter[tuple[str, str]]:  # noqa: ANN401 - a Database
    from sqlalchemy import text  # noqa: PLC0415 - as above

    found: Counter[tuple[str, str]] = Counter()
    queries = {
        "sweep": "SELECT repository, count(*) FROM sweeps GROUP BY repository",
        "reconcile": "SELECT repository, count(*) FROM runs WHERE status IN ('paused', 'completed') GROUP BY 1",
    }
    with database.read() as connection:
        for kind, query in queries.items():
            for repository, count in connection.execute(text(query)):
                found[kind, repository] += count
    return found


def _hand_overs(database: Any) -> list[float]:  # noqa: ANN401 - likewise
    from sqlalchemy import text  # noqa: PLC0415 - as above

    query = (
        "SELECT (h.at - w.beat) / 1000.0 FROM job_handovers h JOIN workers w ON w.id = h.worker WHERE w.state = 'lost'"
    )
    with database.read() as connection:
        return [float(one) for one in connection.execute(text(query)).scalars()]


def _executions(place: Path) -> tuple[dict[str, int], int]:
    """How many checks began and ended, and how many ended after the next one of their repository had begun."""
    lines = [line.split() for line in place.read_text().splitlines()] if place.exists() else []
    began: dict[str, list[str]] = {}
    overlaps = 0
    for word, name, process in lines:
        order = began.setdefault(name, [])
        if word == "begin":
            order.append(process)
        elif process in order:
            place_of_it = order.index(process)
            overlaps += len(order) - place_of_it - 1
            del order[: place_of_it + 1]  # what began before it and has not ended was killed
    return dict(Counter(line[0] for line in lines)), overlaps


def _spread(values: Sequence[float]) -> dict[str, float]:
    if not values:
        return {}
    ordered = sorted(values)
    return {
        "median": round(statistics.median(ordered), 1),
        "p95": round(ordered[int(0.95 * (len(ordered) - 1))], 1),
        "most": round(ordered[-1], 1),
    }


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--hours", type=float, default=0, help="hours of a team that are played in these seconds")
    parser.add_argument("--per-hour", type=float, nargs=2, default=(90, 40), help="jobs and troubles of such an hour")
    parser.add_argument("--hosts", type=int, default=3)
    parser.add_argument("--workers", type=int, default=6)
    parser.add_argument("--repositories", type=int, default=60)
    parser.add_argument("--tests", type=int, nargs=2, default=(20, 100), help="of the smallest and the largest one")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--silence", type=float, default=6)
    parser.add_argument("--together", action="store_true", help="plain processes instead of network namespaces")
    parser.add_argument("--calm", action="store_true", help="no trouble: for throughput")
    parser.add_argument("--keep", action="store_true", help="keep the folder with the workers' logs")
    asked = parser.parse_args(arguments)
    apart = not asked.together and ip("netns", "add", "pkprobe") and ip("netns", "del", "pkprobe")
    folder = Path(tempfile.mkdtemp(prefix="pk-campaign-"))
    try:
        campaign = Campaign(
            asked.seconds,
            asked.hosts,
            asked.workers,
            asked.repositories,
            asked.seed,
            apart,
            asked.calm,
            asked.silence,
            folder,
            tuple(asked.tests),
            asked.hours,
            tuple(asked.per_hour),
        )
        found = run(campaign)
        print(json.dumps(found, indent=1))
        return found
    finally:
        if asked.keep:
            print(folder, file=sys.stderr)
        else:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
