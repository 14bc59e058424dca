"""A process that is killed between any two writes of an action, and the one that comes after it."""

import signal
import subprocess
import sys

import pytest

from pactkeeper.boards.local import LocalBoard
from pactkeeper.boards.writing import FileReservations
from pactkeeper.intent.actions import Deed
from pactkeeper.store.actions import find_deed
from pactkeeper.transcripts.carrying import ExecutionGround, carry_out, settle, take_back
from tests.transcripts.actions import AT, create_task

pytestmark = pytest.mark.slow

DIES = """
import os, signal, sys
from pathlib import Path
from pactkeeper.boards.local import LocalBoard
from pactkeeper.boards.writing import FileReservations
from pactkeeper.intent.actions import Deed
from pactkeeper.store.actions import find_deed
from pactkeeper.store.database import open_database, sqlite_url
from pactkeeper.store.history import History
from pactkeeper.transcripts.carrying import ExecutionGround, carry_out, take_back
from tests.transcripts.actions import AT, create_task

what, moment, database, folder = sys.argv[1:]

def die_at(name):
    if name == moment:
        os.kill(os.getpid(), signal.SIGKILL)

class Dying(LocalBoard):
    def perform(self, change, key, *, at):
        die_at("before the write")
        done = super().perform(change, key, at=at)
        die_at("after the write")
        return done

class Kept(FileReservations):
    def reserve(self, reservation):
        die_at("before it is reserved")
        super().reserve(reservation)

    def confirm(self, key, written):
        super().confirm(key, written)
        die_at("after it is confirmed")

board = Dying("home", Path(folder) / "board")
history = History(open_database(sqlite_url(Path(database))), "person")
ground = ExecutionGround(history, lambda _: board, lambda _: Kept(Path(folder) / "kept.jsonl"), lambda: AT)
if what == "do":
    carry_out(ground, Deed(create_task(), "begun", AT))
else:
    take_back(ground, find_deed(history, create_task().id), by="Ada")
"""
MOMENTS = ["before it is reserved", "before the write", "after the write", "after it is confirmed"]


@pytest.fixture
def ground(history, tmp_path):
    board = LocalBoard("home", tmp_path / "board")
    return ExecutionGround(history, lambda _: board, lambda _: FileReservations(tmp_path / "kept.jsonl"), lambda: AT)


def die(ground, what, moment, tmp_path):
    database = str(ground.history.database.address.path)
    arguments = [sys.executable, "-c", DIES, what, moment, database, str(tmp_path)]
    done = subprocess.run(arguments, capture_output=True, check=False, timeout=300)
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()


def tasks(tmp_path):
    return len(list(tmp_path.glob("board/tasks/*.md")))


@pytest.mark.parametrize("moment", MOMENTS)
def test_an_action_of_a_process_that_was_killed_is_done_exactly_once(ground, tmp_path, moment):
    die(ground, "do", moment, tmp_path)
    (deed,) = settle(ground)
    if deed.standing == "failed":  # nothing had been reserved, so it is proposed anew
        deed = carry_out(ground, deed)
    assert (deed.standing, tasks(tmp_path)) == ("done", 1)
    take_back(ground, deed, by="Ada")
    assert tasks(tmp_path) == 0


@pytest.mark.parametrize("moment", MOMENTS)
def test_an_undo_of_a_process_that_was_killed_is_done_exactly_once(ground, tmp_path, moment):
    carry_out(ground, Deed(create_task(), "begun", AT))
    die(ground, "undo", moment, tmp_path)
    settle(ground)
    found = find_deed(ground.history, create_task().id)
    assert found
    assert (found.standing, tasks(tmp_path)) == ("undone", 0)
    assert len(list(tmp_path.glob("board/archive/tasks/*.md"))) == 1
