"""Verbs that run a project's own checks: sweep, and list what a sweep would run.

Also the published form of a sweep (the fields of a SweepResult, and what was run), and the verb by which a person
trusts what a commit declares to run.

And the publishers of a watch's sweeps: a feed, a webhook, a task board. On a board each fix task is created once, and
completed when it is done or obsolete. Every update covers all tasks, so that none is lost if the board was down or the
watch was killed. What was written is recorded in the board's reservations under the keys `<task>-created` and
`<task>-closed-<attempts>`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypedDict

from pactkeeper.advice import TRUST
from pactkeeper.errors import InputError, StaleError, UsageError
from pactkeeper.health.concluding import Conclusion
from pactkeeper.health.sweeping import Rerun, SweepScope, Watching, declared, rerun_of
from pactkeeper.health.sweeping import sweep as run_sweep
from pactkeeper.health.tasking import OPEN
from pactkeeper.health.trust import ANY, Plan, Trust, add_trusted, declaration, plan_of, trusted
from pactkeeper.health.watching import colour
from pactkeeper.intent.board import Change, CompleteTask, CreateTask, LogTask
from pactkeeper.intent.health import CheckResult, HealthCheck, Sweep
from pactkeeper.ledger.answering import Reply
from pactkeeper.operators.concluded import Consult, conclude_sweep, consult_of
from pactkeeper.workspace import Workspace

if TYPE_CHECKING:
    from pactkeeper.boards.port import Reservations
    from pactkeeper.health import watching
    from pactkeeper.intent.health import FixTask
    from pactkeeper.operators.watch import Opener, Planner


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


def sweep(workspace: Workspace, request: SweepRequest, *, consult: Consult | None = None) -> Conclusion:
    """Run every check of a commit once and draw conclusions, about open findings; progress goes to `workspace.notice`.

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
        made = conclude_sweep(workspace, ran, consult=consult)
        found = replace(made, findings=tuple(one for one in made.findings if one.state != "resolved"))
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


SCHEMA: Final = "pactkeeper.sweep/1"
FEED_SCHEMA: Final = "pactkeeper.sweep-feed/1"
BUILDING: Final = ("build", "compile")
PASSING: Final = frozenset({"pass", "not applicable"})
MOST_TEXT, MOST_LISTED = 8_000, 50  # characters of output, and diagnostics per check, sent to planners


def as_document(found: Conclusion) -> Mapping[str, object]:
    """Return everything known about a sweep."""
    return {
        "schema": SCHEMA,
        **_outcome(found),
        "buildOutput": _output(found.sweep, BUILDING),
        "testOutput": _output(found.sweep, ("test",)),
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


def as_feed(found: Conclusion) -> Feed:
    """Return a sweep for planners, in bounded size: the ends of outputs, and the first diagnostics of each check."""
    sweep = found.sweep
    return {
        "schema": FEED_SCHEMA,
        **_outcome(found),
        "colour": colour(sweep),
        "buildOutput": _output(found.sweep, BUILDING)[-MOST_TEXT:],
        "testOutput": _output(found.sweep, ("test",))[-MOST_TEXT:],
        "findings": len(found.findings),
        "sweep": {**asdict(sweep), "results": [_brief(one) for one in sweep.results]},
    }


def _outcome(found: Conclusion) -> _Outcome:
    torn = {each.file for one in _results(found.sweep, ("conflict",)) for each in one.diagnostics}
    return {
        "buildOk": _passes(found.sweep, BUILDING),
        "testsOk": _passes(found.sweep, ("test",)),
        "hasConflictMarkers": bool(torn),
        "conflictFiles": sorted(torn),
        "fixTasks": [{**asdict(one), "createdAt": one.created_at} for one in found.tasks],
        "green": found.sweep.green,
        "partial": bool(found.sweep.only),
        "aside": found.aside,
        "grouping": None if found.grouping is None else _grouping(found.grouping),
    }


def _results(sweep: Sweep, categories: Sequence[str]) -> list[CheckResult]:
    return [one for one in sweep.results if one.category in categories]


def _passes(sweep: Sweep, categories: Sequence[str]) -> bool:
    """Whether every applicable check of these categories was run and passed."""
    return all(one.verdict in PASSING for one in _results(sweep, categories))


def _output(sweep: Sweep, categories: Sequence[str]) -> str:
    """Return the output of the checks of these categories that did not pass, joined; empty if all passed."""
    bad = [one for one in _results(sweep, categories) if one.verdict not in PASSING]
    return "\n".join(f"$ {one.check}\n{one.output.text or one.reason}" for one in bad)


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


def to_feed(feed: watching.Feed) -> Planner:
    """Append a line for every sweep."""
    return lambda found: feed.add(as_feed(found))


def to_webhook(webhook: watching.Webhook) -> Planner:
    """Post every sweep, under its id."""
    return lambda found: webhook.deliver(found.sweep.id, as_feed(found))


def to_board(opener: Opener, board: str) -> Planner:
    """Update a board with all fix tasks after every sweep that is not stale.

    Raises UsageError immediately for a board that is not configured.
    """
    with opener() as workspace:
        workspace.board(board)

    def put(found: Conclusion) -> None:
        if not found.sweep.stale:
            with opener() as workspace:
                put_on_board(workspace, board)

    return put


LABEL: Final = "fix"


def put_on_board(workspace: Workspace, name: str) -> int:
    """Update a board with this repository's fix tasks, and return the number of changes made.

    Raises UsageError for a board that is not configured, and whatever writing raises; the rest is done next time.
    """
    from pactkeeper.boards.writing import write  # noqa: PLC0415 - only a watch with a board needs it
    from pactkeeper.store.health import fix_tasks  # noqa: PLC0415 - likewise

    board = workspace.board(name)
    held = workspace.owner.reservations(board)
    at = workspace.now().isoformat(timespec="seconds")
    made = 0
    for task in fix_tasks(workspace.history()):
        for key, change in _wanted(task, held):
            try:
                write(board, _as_begun(held, key, change), key, reservations=held, at=at)
            except InputError:
                if isinstance(change, CreateTask):
                    raise
                break  # a person removed the task from the board, and it stays removed
            made += 1
    return made


def _as_begun(held: Reservations, key: str, change: Change) -> Change:
    """Return the change as it was begun, even if the task reads differently by now."""
    found = held.held(key)
    return change if found is None else found.change


def _wanted(task: FixTask, held: Reservations) -> Iterator[tuple[str, Change]]:
    """Yield the pending changes for a task, each with its key; later ones depend on what earlier ones wrote."""
    created = f"{task.id}-created"
    if task.status in OPEN and not _written(held, created):
        yield created, CreateTask(_title(task), _body(task), labels=(LABEL, task.category))
    target = _written(held, created)
    if not target:
        return  # created and closed while the board was down
    if task.status not in OPEN:
        yield from _new(held, f"{task.id}-note-{task.attempts}", LogTask(target, f"{task.status}: {task.note}"))
        yield from _new(held, f"{task.id}-closed-{task.attempts}", CompleteTask(target))
        return
    for number in range(task.attempts):
        closed = held.held(f"{task.id}-closed-{number}")
        if closed is not None and closed.written is not None and closed.written.undo is not None:
            yield from _new(held, f"{task.id}-opened-{number}", closed.written.undo)


def _new(held: Reservations, key: str, change: Change) -> Iterator[tuple[str, Change]]:
    if not _written(held, key):
        yield key, change


def _written(held: Reservations, key: str) -> str:
    """Return the board's id for what was written under a key; empty if nothing was yet."""
    found = held.held(key)
    return "" if found is None or found.written is None else found.written.target


def _title(task: FixTask) -> str:
    return f"{task.id}: {task.description.splitlines()[0]}"[:200]


def _body(task: FixTask) -> str:
    lines = [
        task.description,
        "",
        f"Files: {', '.join(task.scope)}",
        f"Accepted when: {task.acceptance}",
        f"Branch: {task.branch}",
        f"Claim it: pk fixes claim {task.id}",
    ]
    return "\n".join(lines) + "\n"
