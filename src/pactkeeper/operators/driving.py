"""How a verb takes a run through its graph: alone on the repository, by this process, telling how far it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pactkeeper.ledger.run import Run
from pactkeeper.operators.asking import Asking
from pactkeeper.reconcile.request import Request
from pactkeeper.reconcile.running import Drive
from pactkeeper.reconcile.steps import Steps
from pactkeeper.store.lease import Held, Waiting, lease
from pactkeeper.workspace import Workspace


@contextmanager
def running(workspace: Workspace) -> Iterator[Held]:
    """Run alone on the repository while inside; another process is waited for, and named."""
    history = workspace.history()
    waiting = Waiting(None, workspace.notice)
    with lease(history.database, history.repository, folder=workspace.state, waiting=waiting) as held:
        yield held


def steps_of(workspace: Workspace, held: Held, run: Run, *, asking: Asking | None = None) -> Steps:
    """The steps of a run in this process, which has the lease; without `asking` it puts questions to nobody."""
    steps = Steps(workspace, workspace.history(), run, Request.of(run.options), ensure_alone=held.ensure)
    if asking is not None and asking.budget is not None:
        steps.asker, steps.budget = asking.asker, asking.budget
    return steps


def drive_of(workspace: Workspace) -> Drive:
    """How a run is driven here, with progress told as the workspace tells it."""
    show = workspace.progress
    hear = None if show is None else lambda progress: show(progress.done, progress.total)
    said = workspace.surroundings
    return Drive(workspace.checkpoints, hear, None if said.log is None else Path(said.log), said.spans)
