"""Processes that run a reconciliation on a real repository and kill themselves on the way."""

import os
import signal
import sys
from contextlib import contextmanager
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from unittest.mock import patch

from pactkeeper.errors import PactkeeperError
from pactkeeper.ledger.decision import Decision
from pactkeeper.operators.apply import apply_patch
from pactkeeper.operators.driving import drive_of
from pactkeeper.operators.history import find_patch
from pactkeeper.operators.reconcile import reconcile_repo
from pactkeeper.reconcile.request import Request
from pactkeeper.workspace import open_workspace
from tests.waiting import PATIENCE, until

REQUEST = Request(everything=True)
AT = "2026-01-01T00:00:00+00:00"


@dataclass(frozen=True)
class Death:
    """When a process kills itself: around a node's work, or once so many tests are worded."""

    node: str = ""
    moment: str = ""
    tests: int = 0

    def around(self, moment, node):
        if (moment, node) == (self.moment, self.node):
            os.kill(os.getpid(), signal.SIGKILL)

    def hear(self, progress):
        if self.tests and progress.done >= self.tests:
            os.kill(os.getpid(), signal.SIGKILL)


@dataclass(frozen=True)
class Halt:
    """Where a process stops until a file appears: it says that it is there by making another one."""

    node: str
    reached: Path
    go_on: Path

    def around(self, moment, node):
        if (moment, node) == ("before", self.node):
            self.reached.touch()
            wait_for(self.go_on)

    def hear(self, progress):
        """Hear nothing."""


def wait_for(place):
    """Wait until a file is there."""
    until(place.exists, place)


@dataclass(frozen=True)
class Place:
    """A work tree and the database of its history; None means the file in its state folder."""

    root: Path
    database: str | None = None

    @property
    def environment(self):
        """What the surroundings say of it; nothing names a database for a file."""
        return {"PACTKEEPER_DATABASE_URL": self.database or ""}

    @contextmanager
    def open(self):
        with patch.dict(os.environ, self.environment), open_workspace(self.root, notice=print) as workspace:
            yield workspace


def started(work, *arguments):
    """Begin work in a process of its own."""
    context = get_context("forkserver")
    context.set_forkserver_preload(["tests.reconcile.dying", "langgraph.graph", "langgraph.checkpoint.sqlite"])
    process = context.Process(target=work, args=arguments)
    process.start()
    return process


def in_a_process(work, *arguments):
    """Run work in a process of its own; its exit code, negative for a signal."""
    return ended(started(work, *arguments))


def ended(process):
    """Wait for a process; its exit code, negative for a signal."""
    process.join(PATIENCE)
    assert process.exitcode is not None
    return process.exitcode


def reconcile(place, death=None):
    """Reconcile everything; also goes on with a run that died before. Leaves with 2 for an error of ours."""
    with place.open() as workspace:
        try:
            reconcile_repo(workspace, REQUEST, drive=_drive(workspace, death))
        except PactkeeperError as error:
            (place.root.parent / "said").write_text(f"{type(error).__name__}: {error}")
            sys.exit(error.exit_code)


def accept_everything(place, death=None):
    """Accept all that waits and apply it."""
    with place.open() as workspace:
        patch = find_patch(workspace, None)
        decisions = [Decision(op.id, op.shown_hash, "accept", "Ada", AT) for op in patch.ops]
        apply_patch(workspace, patch, decisions, drive=_drive(workspace, death))


def _drive(workspace, death):
    drive = drive_of(workspace)
    return drive if death is None else replace(drive, around=death.around, hear=death.hear)
