"""The verbs that run a project's own checks: one sweep, and what a sweep would run.

The published form of a sweep: the fields of a SweepResult, and beside them what was run.

The verb by which a person trusts what a commit declares to run, and what they trusted so far.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Final, TypedDict

from pactkeeper.errors import StaleError, UsageError
from pactkeeper.health.narrowing import rerun_of
from pactkeeper.health.pacing import colour
from pactkeeper.health.sweeping import Rerun, SweepScope, Watching, declared
from pactkeeper.health.sweeping import Swept as Ran
from pactkeeper.health.sweeping import sweep as run_sweep
from pactkeeper.health.trust import ANY, Plan, Trust, add_trusted, declaration, plan_of, trusted
from pactkeeper.intent.health import CheckResult, Diagnostic, FixTask, HealthCheck, HealthFinding, Sweep
from pactkeeper.ledger.answering import Reply
from pactkeeper.operators.concluded import Consult, conclude_sweep, consult_of
from pactkeeper.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class SweepRequest:
    """What to sweep: the commit that `at` names, by default HEAD, or the work tree; some checks by name, or all.

    `ask` has a model asked how to group failures, or not; None is what the person's settings say.
    `trust` is a declaration that is trusted this once, or `any`.
    """

    at: str | None = None
    in_place: bool = False
    only: tuple[str, ...] = ()
    ask: bool | None = None
    trust: str = ""


@dataclass(frozen=True, slots=True)
class Swept:
    """A sweep with what follows from it: the findings that stand, and the fix tasks that are to be done.

    `aside` says why nothing follows, empty where something may. `waiting` counts root
    causes that got no task yet because there were enough, `escalated` are tasks that a person must look at now,
    `dropped` those that somebody has claimed and that are no longer asked for.
    `grouping` is what became of asking how to group failures, None where nobody was asked.
    """

    sweep: Sweep
    findings: tuple[HealthFinding, ...] = ()
    tasks: tuple[FixTask, ...] = ()
    waiting: int = 0
    escalated: tuple[FixTask, ...] = ()
    dropped: tuple[FixTask, ...] = ()
    grouping: Reply | None = None
    aside: str = ""

    @property
    def partial(self) -> bool:
        """Whether only some checks were asked for, so that nothing follows for the others."""
        return bool(self.sweep.only)

    @property
    def conflict_files(self) -> tuple[str, ...]:
        """The files with merge conflict markers, each once, sorted."""
        found = {one.file for one in self._diagnostics(("conflict",))}
        return tuple(sorted(found))

    def passes(self, categories: Sequence[str]) -> bool:
        """Whether every check of these categories that applies was run and passed."""
        return all(one.verdict in {"pass", "not applicable"} for one in self._results(categories))

    def output(self, categories: Sequence[str]) -> str:
        """What the checks of these categories printed that did not pass, one after the other; empty for none."""
        bad = [one for one in self._results(categories) if one.verdict not in {"pass", "not applicable"}]
        return "\n".join(f"$ {one.check}\n{one.output.text or one.reason}" for one in bad)

    def _results(self, categories: Sequence[str]) -> list[CheckResult]:
        return [one for one in self.sweep.results if one.category in categories]

    def _diagnostics(self, categories: Sequence[str]) -> list[Diagnostic]:
        return [one for result in self._results(categories) for one in result.diagnostics]


def sweep(workspace: Workspace, request: SweepRequest, *, consult: Consult | None = None) -> Swept:
    """Run every check of a commit once and conclude what follows; progress goes to `workspace.notice`.

    `consult` stands in for the model that the request or the settings have asked. Raises ModelUnavailable and
    MissingExtra before anything runs where the request wants a model that cannot be asked, and UntrustedError.
    """
    consult = consult or consult_of(workspace, request.ask)
    wanted = SweepScope(request.at, request.in_place, request.only, trust_of(workspace, request.trust))

    def begins(check: HealthCheck, number: int, total: int) -> None:
        workspace.notice(f"[{number}/{total}] {check.category}: {check.name}")

    hears = Watching(workspace.now, begins, prepares=lambda line: workspace.notice(f"preparing: {line}"))
    with workspace.watching().node("health-agent", "sweep", {"at": request.at or "HEAD"}) as ended:
        ran = run_sweep(workspace.repository, workspace.sweep_places, wanted, hears, rerun=_rerun(workspace))
        found = _concluded(workspace, ran, consult)
        ended({"commit": found.sweep.commit, "findings": len(found.findings), "tasks": len(found.tasks)})
    return found


def list_health_checks(workspace: Workspace) -> Plan:
    """Tell what a sweep of the work tree as it is would run, in order, and why."""
    root = workspace.repository.root
    return plan_of(root, root)


def _rerun(workspace: Workspace) -> Rerun:
    """Run again what earlier sweeps did not settle."""
    from pactkeeper.store.health import health_findings  # noqa: PLC0415 - what would run is told without a history

    found = health_findings(workspace.history()) if workspace.has_history else ()
    return rerun_of({one.diagnostic.fingerprint: one for one in found})


def _concluded(workspace: Workspace, ran: Ran, consult: Consult | None) -> Swept:
    """What follows from a sweep; one that is stale says only what it saw."""
    made = conclude_sweep(workspace, ran, consult=consult)
    return Swept(
        made.sweep,
        findings=tuple(one for one in made.findings if one.state != "resolved"),
        tasks=made.tasks,
        waiting=made.waiting,
        escalated=made.escalated,
        dropped=made.dropped,
        grouping=made.grouping,
        aside=made.aside,
    )


SCHEMA: Final = "pactkeeper.sweep/1"
FEED_SCHEMA: Final = "pactkeeper.sweep-feed/1"
BUILDING: Final = ("build", "compile")
MOST_TEXT, MOST_LISTED = 8_000, 50  # characters of an output, and diagnostics of a check, in what planners are told


def as_document(found: Swept) -> Mapping[str, object]:
    """Everything that is known of a sweep."""
    return {
        "schema": SCHEMA,
        **_outcome(found),
        "buildOutput": found.output(BUILDING),
        "testOutput": found.output(("test",)),
        "findings": [{**asdict(one), "fingerprint": one.diagnostic.fingerprint} for one in found.findings],
        "sweep": {**asdict(found.sweep), "results": [_result(one) for one in found.sweep.results]},
    }


class _Outcome(TypedDict):
    buildOk: bool
    testsOk: bool
    hasConflictMarkers: bool
    conflictFiles: list[str]
    fixTasks: list[dict[str, object]]
    green: bool
    partial: bool
    aside: str
    grouping: dict[str, object] | None


class Feed(_Outcome):
    """What planners read of a sweep."""

    schema: str
    colour: str
    buildOutput: str
    testOutput: str
    findings: int
    sweep: dict[str, object]


def as_feed(found: Swept) -> Feed:
    """A sweep for planners, of bounded size: the ends of outputs, and the first diagnostics of each check."""
    sweep = found.sweep
    return {
        "schema": FEED_SCHEMA,
        **_outcome(found),
        "colour": colour(sweep),
        "buildOutput": found.output(BUILDING)[-MOST_TEXT:],
        "testOutput": found.output(("test",))[-MOST_TEXT:],
        "findings": len(found.findings),
        "sweep": {**asdict(sweep), "results": [_brief(one) for one in sweep.results]},
    }


def _outcome(found: Swept) -> _Outcome:
    return {
        "buildOk": found.passes(BUILDING),
        "testsOk": found.passes(("test",)),
        "hasConflictMarkers": bool(found.conflict_files),
        "conflictFiles": list(found.conflict_files),
        "fixTasks": [{**asdict(one), "createdAt": one.created_at} for one in found.tasks],
        "green": found.sweep.green,
        "partial": found.partial,
        "aside": found.aside,
        "grouping": None if found.grouping is None else _grouping(found.grouping),
    }


def _grouping(one: Reply) -> dict[str, object]:
    """Who was asked how to group failures, what came of it and what that took; not the groups, which the tasks are."""
    took = asdict(one.usage)
    return {"model": one.model, "state": one.state, "reasons": list(one.reasons), "cached": one.cached, "usage": took}


def _result(one: CheckResult) -> dict[str, object]:
    diagnostics = [{**asdict(each), "fingerprint": each.fingerprint} for each in one.diagnostics]
    return {**asdict(one), "diagnostics": diagnostics}


def _brief(one: CheckResult) -> dict[str, object]:
    whole = _result(one)
    listed = [{**asdict(each), "message": each.message[:MOST_TEXT]} for each in one.diagnostics[:MOST_LISTED]]
    return {name: value for name, value in whole.items() if name != "output"} | {
        "diagnostics": listed,
        "diagnosticsInAll": len(one.diagnostics),
    }


@dataclass(frozen=True, slots=True)
class Declared:
    """What a commit declares to run, the hash that it is trusted by, and whether a person here has done so."""

    commit: str
    declaration: str
    plan: Plan
    trusted: bool


def declared_checks(workspace: Workspace, at: str | None = None) -> Declared:
    """Tell what a commit, by default HEAD, declares to run, without running any of it."""
    commit, plan = declared(workspace.repository, workspace.sweep_places, at)
    name = declaration(plan)
    return Declared(commit, name, plan, name in trusted(_file(workspace)))


def trust_checks(workspace: Workspace, name: str, at: str | None = None) -> Declared:
    """Trust the declaration of a commit by the hash under which it was shown; raises StaleError for another one."""
    found = declared_checks(workspace, at)
    if found.declaration != name:
        raise StaleError(f"{found.commit[:12]} declares {found.declaration}, not {name!r}; look again: pk health trust")
    add_trusted(_file(workspace), name, by=workspace.person(), at=workspace.now().isoformat(timespec="seconds"))
    return Declared(found.commit, name, found.plan, trusted=True)


def trust_of(workspace: Workspace, *also: str) -> Trust:
    """What may run here: what the person trusted in this clone, what CI says, and what is trusted for this once."""
    given = {one for one in (workspace.surroundings.trust, *also) if one}
    return Trust(frozenset(given) if ANY in given else trusted(_file(workspace)) | given)


def _file(workspace: Workspace) -> Path:
    """With the person and not in the clone, where a check or an unpacked archive could bring it along."""
    personal = workspace.surroundings.personal
    if personal is None:
        raise UsageError("there is no home folder to keep in what you trust; set HOME or XDG_DATA_HOME")
    return personal / "trust" / f"{workspace.sweep_places.folder.name}.json"
