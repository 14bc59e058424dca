"""Verbs about runs that do not drive one: list, show, compare, cancel and export them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
from operator import attrgetter
from typing import Final, TypeVar

from pactkeeper.errors import UsageError
from pactkeeper.intent.records import TestRecord
from pactkeeper.ledger.canonical import FINAL, Run, RunStatus, TraceEvent
from pactkeeper.ledger.decision import Decision
from pactkeeper.ledger.finding import Finding
from pactkeeper.ledger.model import ModelCall, Spent, spent_on
from pactkeeper.ledger.op import Op
from pactkeeper.ledger.patch import Patch
from pactkeeper.ledger.question import Question
from pactkeeper.reconcile.journal import follow_journal
from pactkeeper.store import runs as store
from pactkeeper.store.decisions import decisions_of, load_patch
from pactkeeper.store.history import History
from pactkeeper.store.lease import is_held
from pactkeeper.store.owner import here
from pactkeeper.store.questions import open_questions
from pactkeeper.store.runs import calls_of, find_run, records_of, request_cancel, trace_of, update_run
from pactkeeper.store.waiting import fates
from pactkeeper.workspace import Workspace

LONGEST_STEP: Final = 300  # seconds between two decisions; a longer gap is a break


@dataclass(frozen=True, slots=True)
class ListedRun:
    """A run with the outcome of its ops; `interrupted` says that its process is gone."""

    run: Run
    interrupted: bool
    fates: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class ShownRun:
    """A run with everything the history has about it, except its test records."""

    listed: ListedRun
    patch: Patch | None
    decisions: tuple[Decision, ...]
    questions: tuple[Question, ...]
    trace: tuple[TraceEvent, ...]
    model_calls: tuple[ModelCall, ...] = ()

    @property
    def spent(self) -> Spent:
        """What the run spent on models."""
        return spent_on(self.model_calls)


@dataclass(frozen=True, slots=True)
class ExportedRun:
    """A run with everything the history has about it, including the tests that it examined."""

    shown: ShownRun
    tests: tuple[TestRecord, ...]


@dataclass(frozen=True, slots=True)
class RunMetrics:
    """A run's counts, step by step, and what it spent on models.

    `seconds_per_decision` is the average time people took for one test, without breaks; None for fewer than two
    decisions.
    """

    run: str
    status: str
    counts: Mapping[str, int]
    ops: Mapping[str, int]
    steps: tuple[TraceEvent, ...]
    spent: Spent
    seconds_per_decision: float | None = None


def list_runs(workspace: Workspace, *, status: RunStatus | None = None, limit: int | None = None) -> list[ListedRun]:
    """List runs, newest first, with the outcome of their ops; empty without a history."""
    return listed_runs(workspace, known_runs(workspace, status=status, limit=limit))


def known_runs(workspace: Workspace, *, status: RunStatus | None = None, limit: int | None = None) -> tuple[Run, ...]:
    """List runs without their outcome, newest first."""
    if not workspace.has_history:
        return ()
    return tuple(store.list_runs(workspace.history(), statuses=() if status is None else (status,), limit=limit))


def listed_runs(workspace: Workspace, runs: Sequence[Run]) -> list[ListedRun]:
    """Add the outcome of their ops to these runs, in time linear in the ops."""
    if not runs:
        return []
    history = followed(workspace)
    with history.database.together():
        return _as_listed(workspace, history, runs)


def _as_listed(workspace: Workspace, history: History, runs: Sequence[Run]) -> list[ListedRun]:
    alive = is_held(history.database, history.repository, folder=workspace.state)
    if not alive:  # a run may have ended between the look at it and the one at its process
        runs = [find_run(history, one.id) or one if one.status == "running" else one for one in runs]
    counted = fates(history, [run.patch for run in runs if run.patch is not None])
    return [_listed(run, counted, alive=alive) for run in runs]


def show_run(workspace: Workspace, name: str | None) -> ShownRun:
    """Show one run, by default the newest."""
    history = followed(workspace)
    run = named_run(history, name)
    return ShownRun(
        _as_listed(workspace, history, [run])[0],
        None if run.patch is None else load_patch(history, run.patch),
        () if run.patch is None else decisions_of(history, run.patch),
        open_questions(history, run=run.id),
        trace_of(history, run.id),
        calls_of(history, run.id),
    )


def run_standing(workspace: Workspace, name: str | None) -> tuple[ListedRun, tuple[Question, ...]]:
    """Return the progress of one run, by default the newest, and its open questions."""
    history = followed(workspace)
    with history.database.together():
        run = named_run(history, name)
        return _as_listed(workspace, history, [run])[0], open_questions(history, run=run.id)


def run_metrics(workspace: Workspace, name: str | None) -> RunMetrics:
    """Return the figures of one run, by default the newest."""
    shown = show_run(workspace, name)
    run = shown.listed.run
    pace = seconds_per_decision(
        shown.decisions, {} if shown.patch is None else {op.id: op.group for op in shown.patch.ops}
    )
    return RunMetrics(run.id, run.status, run.summary, shown.listed.fates, shown.trace, shown.spent, pace)


def seconds_per_decision(decisions: Iterable[Decision], groups: Mapping[str, str]) -> float | None:
    """Return the average time between one person's decisions on two tests; `groups` maps ops to their test."""
    said: dict[str, dict[str, datetime]] = {}
    for one in decisions:
        if one.actor == "person":
            said.setdefault(one.by, {})[groups.get(one.op, one.op)] = datetime.fromisoformat(one.at)
    steps = [
        (later - earlier).total_seconds()
        for moments in said.values()
        for earlier, later in pairwise(sorted(moments.values()))
    ]
    busy = [step for step in steps if step <= LONGEST_STEP]
    return round(sum(busy) / len(busy), 1) if busy else None


def cancel_run(workspace: Workspace, name: str) -> Run:
    """Ask a run to stop: an idle run is cancelled immediately, a running one at its next step."""
    history = followed(workspace)
    run = named_run(history, name)
    if run.status in FINAL:
        raise UsageError(f"{run.id} is {run.status} already")
    request_cancel(history, run.id, workspace.person())
    if is_held(history.database, history.repository, folder=workspace.state):
        return named_run(history, run.id)
    at = workspace.now().isoformat(timespec="milliseconds")
    update_run(history, replace(run, status="cancelled", updated_at=at, completed_at=at))
    return named_run(history, run.id)


def cancel_own_run(workspace: Workspace) -> Run | None:
    """Ask this process's own run to stop at its next step; returns None if there is none."""
    if not workspace.has_history:
        return None
    history = workspace.history()
    running: tuple[RunStatus, ...] = ("running",)
    own = next((one for one in store.list_runs(history, statuses=running) if one.owner == here()), None)
    if own is not None:
        request_cancel(history, own.id, workspace.person())
    return own


def export_run(workspace: Workspace, name: str | None) -> ExportedRun:
    """Export everything the history has about a run."""
    shown = show_run(workspace, name)
    return ExportedRun(shown, tuple(records_of(workspace.history(), shown.listed.run.id)))


def followed(workspace: Workspace) -> History:
    """Return the history, updated with what was applied and undone since; raises UsageError if there is none yet."""
    if not workspace.has_history:
        raise UsageError("this repository has no history yet; start with: pk reconcile")
    history = workspace.history()
    follow_journal(history, workspace.state)
    return history


def named_run(history: History, name: str | None) -> Run:
    """Return the run with this id, by default the newest; raises UsageError if there is none."""
    found = next(iter(store.list_runs(history, limit=1)), None) if name is None else find_run(history, name)
    if found is None:
        raise UsageError(
            f"there is no run {name!r}; see: pk runs list" if name else "there is no run yet: pk reconcile"
        )
    return found


def patch_of(history: History, run: Run) -> Patch:
    """Return the patch that a run made; raises UsageError if it made none."""
    found = None if run.patch is None else load_patch(history, run.patch)
    if found is None:
        raise UsageError(f"{run.id} is {run.status} and has no patch to compare")
    return found


def _listed(run: Run, counted: Mapping[str, Mapping[str, int]], *, alive: bool) -> ListedRun:
    interrupted = run.status == "running" and not alive
    return ListedRun(run, interrupted, counted.get(run.patch or "", {}))


@dataclass(frozen=True, slots=True)
class RunDifference:
    """What each of two runs proposes, asks and found that the other does not.

    `changed` pairs ops that do the same to the same target in different words; `both` counts identical ops.
    """

    before: Run
    after: Run
    only_before: tuple[Op, ...]
    only_after: tuple[Op, ...]
    changed: tuple[tuple[Op, Op], ...]
    both: int
    settled: tuple[Question, ...]
    asked: tuple[Question, ...]
    gone: tuple[Finding, ...]
    new: tuple[Finding, ...]


def diff_runs(workspace: Workspace, before: str, after: str) -> RunDifference:
    """Compare two runs op by op; raises UsageError for an unknown run."""
    history = followed(workspace)
    first, second = named_run(history, before), named_run(history, after)
    return compared(first, patch_of(history, first), second, patch_of(history, second))


def compared(first: Run, old: Patch, second: Run, new: Patch) -> RunDifference:
    """Pair the contents of two patches: identical ops, ops that differ only in wording, and the rest of each."""
    only_before, only_after = _only(old.ops, new.ops, _ID), _only(new.ops, old.ops, _ID)
    later = {(op.verb, op.target): op for op in only_after}
    changed = tuple((op, later[op.verb, op.target]) for op in only_before if (op.verb, op.target) in later)
    paired = {op.id for pair in changed for op in pair}
    return RunDifference(
        first,
        second,
        tuple(op for op in only_before if op.id not in paired),
        tuple(op for op in only_after if op.id not in paired),
        changed,
        len(old.ops) - len(only_before),
        _only(old.questions, new.questions, _ID),
        _only(new.questions, old.questions, _ID),
        _only(old.findings, new.findings, _FINGERPRINT),
        _only(new.findings, old.findings, _FINGERPRINT),
    )


_ID: Final = attrgetter("id")
_FINGERPRINT: Final = attrgetter("fingerprint")
Found = TypeVar("Found", Op, Question, Finding)


def _only(found: Iterable[Found], others: Iterable[Found], name: Callable[[Found], str]) -> tuple[Found, ...]:
    """Return what others do not have, by name."""
    known = set(map(name, others))
    return tuple(one for one in found if name(one) not in known)
