"""A process that dies after a server has written, and the next one that does the same."""

import signal
import subprocess

import pytest

from pactkeeper.boards.writing import write
from pactkeeper.intent.board import CreateTask
from tests.boards.fakes import TOKEN
from tests.conformance.boards.targets import AT, GitHubTarget
from tests.doors.forking import SERVER

DIES = """
import os, signal, sys
from pathlib import Path
from pactkeeper.boards.calls import Calls
from pactkeeper.boards.github import GitHubBoard, address
from pactkeeper.boards.port import CallLimits
from pactkeeper.boards.writing import FileReservations
from pactkeeper.boards.writing import write
from pactkeeper.intent.board import CreateTask

class Dying(GitHubBoard):
    def perform(self, change, key, *, at):
        super().perform(change, key, at=at)
        os.kill(os.getpid(), signal.SIGKILL)

url, token, reservations, at = sys.argv[1:]
board = Dying("team", "acme/shop", Calls(address(token, url), CallLimits()))
write(board, CreateTask("Buy milk"), "op-000001", reservations=FileReservations(Path(reservations)), at=at)
"""


@pytest.fixture
def target(tmp_path):
    made = GitHubTarget(tmp_path)
    yield made
    made.close()


def test_task_of_a_process_that_was_killed_after_writing_is_found_and_confirmed(target, tmp_path):
    arguments = [target.fake.url, TOKEN, str(tmp_path / "reservations.jsonl"), AT]
    done = subprocess.run(SERVER.program("-c", DIES, *arguments), capture_output=True, check=False, timeout=300)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert len(target.fake.issues) == 1
    written = write(target.board, CreateTask("Buy milk"), "op-000001", reservations=target.reservations(), at=AT)
    assert (written.target, written.outcome, len(target.fake.issues)) == ("1", "written", 1)
