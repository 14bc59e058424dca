"""The verb that goes on with a run that was interrupted."""

from __future__ import annotations

from typing import Final

from pactkeeper.errors import UsageError
from pactkeeper.ledger.run import Run, RunStatus
from pactkeeper.operators.asking import asking_of
from pactkeeper.operators.driving import drive_of, running, steps_of
from pactkeeper.operators.reconcile import Reconciled, reconciled
from pactkeeper.operators.runs import named_run
from pactkeeper.store.history import History
from pactkeeper.store.runs import list_runs
from pactkeeper.workspace import Workspace

RECOVERABLE: Final[frozenset[RunStatus]] = frozenset({"running", "failed"})


def recover_run(workspace: Workspace, name: str | None) -> Reconciled:
    """Go on with a run that was interrupted or failed (None: the newest); what it had stored is not done again."""
    workspace.ensure_settled()
    with running(workspace) as held:
        history = workspace.history()
        run = named_run(history, name) if name is not None else _recoverable(history)
        if run.status not in RECOVERABLE:
            raise UsageError(f"{run.id} is {run.status}; only a run that was interrupted or failed can be recovered")
        steps = steps_of(workspace, held, run, asking=asking_of(workspace, run))
        drive_of(workspace).go(steps)
    return reconciled(steps)


def _recoverable(history: History) -> Run:
    found = list_runs(history, statuses=RECOVERABLE, limit=1)
    if not found:
        raise UsageError("no run was interrupted and none failed; see: pk runs list")
    return found[0]
