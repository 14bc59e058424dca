"""The verb that makes a patch, by driving a run through its graph until it awaits a person or has nothing to ask."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from pactkeeper.errors import RefusedError, UsageError
from pactkeeper.intent.ids import hashed_id
from pactkeeper.ledger.answering import Estimate
from pactkeeper.ledger.canonical import Run, RunStatus
from pactkeeper.ledger.patch import Patch
from pactkeeper.operators.driving import Estimating, asking_of, drive_of, running, settled, steps_of
from pactkeeper.operators.history import close_settled, new_run
from pactkeeper.operators.observe import baseline_of
from pactkeeper.operators.runs import named_run
from pactkeeper.operators.view import refuse_unknown
from pactkeeper.reconcile.applying import Applied
from pactkeeper.reconcile.flow import Drive, Moment
from pactkeeper.reconcile.propose import Inferred
from pactkeeper.reconcile.request import Request
from pactkeeper.reconcile.steps import Steps
from pactkeeper.store.history import History
from pactkeeper.store.lease import Held
from pactkeeper.store.runs import add_run, find_run, list_runs, request_cancel, update_run
from pactkeeper.store.waiting import open_ops_by_test, undecided_ops
from pactkeeper.workspace import Workspace

RUNNING: Final[tuple[RunStatus, ...]] = ("running",)
# The phases after people have decided: their decisions are carried out before anything new is examined.
DECIDED: Final = frozenset({"review", "persist"})
ENDED: Final[frozenset[RunStatus]] = frozenset({"paused", "completed"})


@dataclass(frozen=True, slots=True)
class Reconciled:
    """The run with its patch and what has no op: tests that need a person's words, and those left out, by reason.

    `waiting` counts the undecided ops of earlier runs that still hold; `applied` is what the policy applied
    automatically.
    """

    run: Run
    patch: Patch
    needs_words: tuple[Inferred, ...]
    left_out: tuple[tuple[str, int], ...]
    waiting: int = 0
    applied: Applied | None = None


def reconcile_repo(workspace: Workspace, request: Request, *, drive: Drive | None = None) -> Reconciled:
    """Make and store a patch for the working tree; without `auto_apply` nothing in it changes.

    An interrupted run of the same request is resumed, and a job that runs again resumes its own run. Raises
    RefusedError if the run is cancelled.
    """
    workspace.ensure_settled()
    refuse_unknown(workspace, workspace.snapshot(), request.paths)
    request = settled(workspace, request)
    with running(workspace) as held:
        close_settled(workspace)
        run = _run_for(workspace, held, request)
        if run.status in ENDED:
            return _ended(workspace, held, run)
        steps = steps_of(workspace, held, run, asking=asking_of(workspace, run))
        (drive or drive_of(workspace)).go(steps)
    return reconciled(steps)


def estimate_reconcile(workspace: Workspace, request: Request) -> Estimate:
    """Estimate the maximum cost of asking a model, with a run that is cancelled before anything is asked.

    Questions that depend on the model's own answers are not included. Raises ModelUnavailable if no model can be asked.
    """
    workspace.ensure_settled()
    refuse_unknown(workspace, workspace.snapshot(), request.paths)
    request = settled(workspace, replace(request, ask=True))
    with running(workspace) as held:
        run = _new_run(workspace, request, at=workspace.now().isoformat(timespec="milliseconds"))
        asking = asking_of(workspace, run)
        if asking.asker is None:
            raise LookupError(f"{run.id} asks nobody")
        estimating = Estimating(asking.asker)
        steps = steps_of(workspace, held, run, asking=replace(asking, asker=estimating))
        replace(drive_of(workspace), around=_end_before_verify(workspace, run)).go(steps)
    return estimating.together


def _end_before_verify(workspace: Workspace, run: Run) -> Callable[[Moment, str], None]:
    def end(moment: Moment, node: str) -> None:
        if (moment, node) == ("after", "synthesize_molecules"):
            request_cancel(workspace.history(), run.id, "an estimate")

    return end


def reconciled(steps: Steps) -> Reconciled:
    """Return the result of a run that was driven; raises RefusedError if it was cancelled."""
    if steps.run.status == "cancelled":
        raise RefusedError(f"{steps.run.id} was cancelled; what it has found is kept")
    undecided = undecided_ops(steps.history, besides=steps.run.id)
    holding = open_ops_by_test(steps.history, steps.looked.world.holds, {}) if undecided else {}
    waiting = sum(op in undecided for ops in holding.values() for op in ops)
    proposals = steps.proposals
    return Reconciled(
        steps.run, steps.patch, proposals.needs_words, steps.looked.selection.left_out, waiting, steps.applied
    )


def _ended(workspace: Workspace, held: Held, run: Run) -> Reconciled:
    """Return the result of a run ended by an earlier process; what has no op is in its patch's questions."""
    steps = steps_of(workspace, held, run)
    return Reconciled(run, steps.patch, (), (), len(undecided_ops(steps.history, besides=run.id)))


def _run_for(workspace: Workspace, held: Held, request: Request) -> Run:
    """Return the run to resume, or a new one; this process has the lease, so any running run has lost its own.

    A job only resumes the run that it began, so that each job has one.
    """
    history = workspace.history()
    own, begun = _run_of_job(workspace)
    if begun is not None:
        workspace.notice(f"this job has begun {own} before, which is {begun.status}")
        return begun
    at = workspace.now().isoformat(timespec="milliseconds")
    for dead in list_runs(history, statuses=RUNNING):
        same = not own and request in {Request(), Request.of(dead.options)}
        word = "going on with it" if same or dead.phase in DECIDED else f"resume it with: pk runs recover {dead.id}"
        workspace.notice(f"{dead.id} was interrupted in {dead.phase}; {word}")
        if dead.phase in DECIDED:
            drive_of(workspace).go(steps_of(workspace, held, dead))
        elif same:
            return dead
        else:
            update_run(
                history, replace(dead, status="failed", error="its process ended", updated_at=at, completed_at=at)
            )
    return _new_run(workspace, request, at=at, own=own)


def _run_of_job(workspace: Workspace) -> tuple[str, Run | None]:
    """Return the run id of this process's job, whichever worker has it, and the run if it has begun.

    The id is empty without a job. A job retried after its run was cancelled gets the next id.
    """
    history = workspace.history()
    fence = history.database.fence
    if fence is None:
        return "", None
    parts = [workspace.identity, fence.job]
    while True:
        own = hashed_id("REC", *parts)
        found = find_run(history, own)
        if found is None or found.status != "cancelled":
            return own, found
        parts.append("again")


def _new_run(workspace: Workspace, request: Request, *, at: str, own: str = "") -> Run:
    run = new_run(workspace, request, at=at)
    if own:
        run = replace(run, id=own)
    if not request.full:
        base = baseline_of(workspace, request.since)
        run = replace(run, baseline_commit=base.commit, baseline_run=base.run)
    add_run(workspace.history(), run)
    return run


RECOVERABLE: Final[frozenset[RunStatus]] = frozenset({"running", "failed"})


def recover_run(workspace: Workspace, name: str | None) -> Reconciled:
    """Resume an interrupted or failed run (None: the newest); stored results are not recomputed."""
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
        raise UsageError("no run was interrupted or failed; see: pk runs list")
    return found[0]
