"""Verbs that run a project's own checks: sweep, and list what a sweep would run.

Also the published form of a sweep (the fields of a SweepResult, and what was run), and the verb by which a person
trusts what a commit declares to run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, TypedDict

from pactkeeper.advice import TRUST
from pactkeeper.errors import StaleError, UsageError
from pactkeeper.health.sweeping import Rerun, SweepScope, Watching, declared, rerun_of
from pactkeeper.health.sweeping import Swept as Ran
from pactkeeper.health.sweeping import sweep as run_sweep
from pactkeeper.health.trust import ANY, Plan, Trust, add_trusted, declaration, plan_of, trusted
from pactkeeper.health.watching import colour
from pactkeeper.intent.health import CheckResult, Diagnostic, FixTask, HealthCheck, HealthFinding, Sweep
from pactkeeper.ledger.answering import Reply
from pactkeeper.operators.concluded import Consult, conclude_sweep, consult_of
from pactkeeper.workspace import Workspace


@dataclass(frozen=True, slots=True)
class SweepRequest:
    """What to sweep: the commit `at`, by default HEAD, or the work tree; all checks, or some by name.

    `ask` says whether to ask a model how to group failures; None means as configured. `trust` is a declaration trusted
    this once, or `any`.
    """

    at: str | None = None
    in_place: bool = False
    only: tuple[str, ...] = ()
    ask: bool | None = None
    trust: str = ""


@dataclass(frozen=True, slots=True)
class Swept:
    """A sweep with its conclusions: the open findings and the fix tasks.

    `aside` says why no conclusions were drawn, empty if some may have been. `waiting` counts root causes without a task
    because there were enough tasks, `escalated` are tasks that a person must look at now, and `dropped` claimed ones
    that are obsolete. `grouping` is the outcome of asking how to group failures, None if nobody was asked.
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
        """Whether only some checks were requested, so that nothing is concluded for the others."""
        return bool(self.sweep.only)

    @property
    def conflict_files(self) -> tuple[str, ...]:
        """The files with merge conflict markers, sorted."""
        found = {one.file for one in self._diagnostics(("conflict",))}
        return tuple(sorted(found))

    def passes(self, categories: Sequence[str]) -> bool:
        """Whether every applicable check of these categories was run and passed."""
        return all(one.verdict in {"pass", "not applicable"} for one in self._results(categories))

    def output(self, categories: Sequence[str]) -> str:
        """Return the output of the checks of these categories that did not pass, joined; empty if all passed."""
        bad = [one for one in self._results(categories) if one.verdict not in {"pass", "not applicable"}]
        return "\n".join(f"$ {one.check}\n{one.output.text or one.reason}" for one in bad)

    def _results(self, categories: Sequence[str]) -> list[CheckResult]:
        return [one for one in self.sweep.results if one.category in categories]

    def _diagnostics(self, categories: Sequence[str]) -> list[Diagnostic]:
        return [one for result in self._results(categories) for one in result.diagnostics]


def sweep(workspace: Workspace, request: SweepRequest, *, consult: Consult | None = None) -> Swept:
    """Run every check of a commit once and draw conclusions; progress goes to `workspace.notice`.

    `consult` replaces the model that the request or the settings select. Raises ModelUnavailable and MissingExtra
    before anything runs if the request wants a model that cannot be asked, and UntrustedError.
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
    """List what a sweep of the current work tree would run, in order, and why."""
    root = workspace.repository.root
    return plan_of(root, root)


def _rerun(workspace: Workspace) -> Rerun:
    """Re-run what earlier sweeps left unsettled."""
    from pactkeeper.store.health import health_findings  # noqa: PLC0415 - listing checks needs no history

    found = health_findings(workspace.history()) if workspace.has_history else ()
    return rerun_of({one.diagnostic.fingerprint: one for one in found})


def _concluded(workspace: Workspace, ran: Ran, consult: Consult | None) -> Swept:
    """Draw conclusions from a sweep; a stale one only reports what it saw."""
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
MOST_TEXT, MOST_LISTED = 8_000, 50  # characters of output, and diagnostics per check, sent to planners


def as_document(found: Swept) -> Mapping[str, object]:
    """Return everything known about a sweep."""
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
    """A sweep as planners read it."""

    schema: str
    colour: str
    buildOutput: str
    testOutput: str
    findings: int
    sweep: dict[str, object]


def as_feed(found: Swept) -> Feed:
    """Return a sweep for planners, in bounded size: the ends of outputs, and the first diagnostics of each check."""
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
    """Describe who was asked to group failures, the outcome and the cost; the groups themselves are the tasks."""
    took = asdict(one.usage)
    return {"model": one.model, "state": one.state, "reasons": list(one.reasons), "cached": one.cached, "usage": took}


def _result(one: CheckResult) -> dict[str, object]:
    diagnostics = [{**asdict(each), "fingerprint": each.fingerprint} for each in one.diagnostics]
    shown = {name: value for name, value in asdict(one).items() if name != "report"}
    return {**shown, "diagnostics": diagnostics}


def _brief(one: CheckResult) -> dict[str, object]:
    whole = _result(one)
    listed = [{**asdict(each), "message": each.message[:MOST_TEXT]} for each in one.diagnostics[:MOST_LISTED]]
    return {name: value for name, value in whole.items() if name != "output"} | {
        "diagnostics": listed,
        "diagnosticsInAll": len(one.diagnostics),
    }


@dataclass(frozen=True, slots=True)
class Declared:
    """What a commit declares to run, the hash it is trusted by, and whether a person here has trusted it."""

    commit: str
    declaration: str
    plan: Plan
    trusted: bool


def declared_checks(workspace: Workspace, at: str | None = None) -> Declared:
    """Return what a commit, by default HEAD, declares to run, without running any of it."""
    commit, plan = declared(workspace.repository, workspace.sweep_places, at)
    name = declaration(plan)
    return Declared(commit, name, plan, name in trusted(_file(workspace)))


def trust_checks(workspace: Workspace, name: str, at: str | None = None) -> Declared:
    """Trust a commit's declaration by the hash that was shown; raises StaleError if it is another one."""
    found = declared_checks(workspace, at)
    if found.declaration != name:
        raise StaleError(f"{found.commit[:12]} declares {found.declaration}, not {name!r}; look again: " + TRUST())
    add_trusted(_file(workspace), name, by=workspace.person(), at=workspace.now().isoformat(timespec="seconds"))
    return Declared(found.commit, name, found.plan, trusted=True)


def trust_of(workspace: Workspace, *also: str) -> Trust:
    """Return what may run here: trusted by the person in this clone, trusted by CI, or trusted this once."""
    given = {one for one in (workspace.surroundings.trust, *also) if one}
    return Trust(frozenset(given) if ANY in given else trusted(_file(workspace)) | given)


def _file(workspace: Workspace) -> Path:
    """Return the file of trusted declarations: outside the clone, to which a check or an archive could add one."""
    personal = workspace.surroundings.personal
    if personal is None:
        raise UsageError("there is no home folder to store trust in; set HOME or XDG_DATA_HOME")
    return personal / "trust" / f"{workspace.sweep_places.folder.name}.json"
