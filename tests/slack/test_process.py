"""`pk slack` as a process: it says where it listens, ends when it is told to, and survives a death at any moment."""

import os
import signal
import subprocess
import sys
from contextlib import ExitStack

import pytest

from tests.conformance.threads.home import Home
from tests.conformance.threads.slack import SlackStage
from tests.conformance.threads.stage import COMPLETE
from tests.waiting import PATIENCE


class ProcessStage(SlackStage):
    """A workspace that is served by a process of its own."""

    process: subprocess.Popen

    def _start(self):
        self.history = self.opened_history()
        command = [sys.executable, "-m", "pactkeeper", "slack"]
        self.process = self.running.enter_context(
            subprocess.Popen(
                command, cwd=self.home.desk.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )
        )
        assert self.process.stdout is not None
        self.line = self.process.stdout.readline()
        self.url = self.line.removeprefix("listening on ").partition(",")[0]

    def end(self, number):
        """Send a signal; gives the exit code and what was said on stderr."""
        self.process.send_signal(number)
        _, err = self.process.communicate(timeout=PATIENCE)
        self.running.close()
        self.running = ExitStack()
        return self.process.returncode, err


@pytest.fixture
def stage(tmp_path):
    made = ProcessStage(Home(tmp_path), more='approvers = ["U0ADA"]')
    yield made
    made.process.kill()
    made.close()


@pytest.mark.slow
def test_a_process_says_what_it_does_and_loses_nothing_by_being_killed(stage):
    assert "every channel it is invited to; approved by U0ADA" in stage.line
    stage.fake.fault("chat.postMessage", "slow", seconds=1)
    message, call = stage.call("Title: Export orders")
    stage.deliver(call)
    code, err = stage.end(signal.SIGTERM)
    assert (code, err.startswith("ended by SIGTERM")) == (0, True)
    assert len(stage.fake.said(message["ts"])) <= 1

    stage._start()
    stage.settle()
    assert len(stage.fake.said(message["ts"])) == 1
    stage.deliver(stage.remark(COMPLETE, message["ts"]))
    assert stage.end(signal.SIGKILL)[0] == -signal.SIGKILL

    stage.home.age(minutes=10)
    stage._start()
    stage.settle()
    assert [one["blocks"] != [] for one in stage.fake.said(message["ts"])] == [True, True]
    code, err = stage.end(signal.SIGINT)
    assert (code, "Traceback" in err) == (130, False)
    assert os.environ["SLACK_BOT_TOKEN"] not in err
