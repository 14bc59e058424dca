"""Verbs about fix tasks: list, show, claim and release them, and have a fix judged."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from shlex import quote
from typing import TYPE_CHECKING, Final

from pactkeeper.advice import DESPITE, RELEASE
from pactkeeper.errors import RefusedError, UsageError
from pactkeeper.health.tasking import OPEN, tried_in_vain
from pactkeeper.health.weakening import Acceptance
from pactkeeper.intent.health import CLAIMABLE, FixStatus, FixTask, HealthFinding
from pactkeeper.operators.concluded import feed_evidence, limits_of
from pactkeeper.operators.fix_judging import Fix, judge_fix

if TYPE_CHECKING:
    from pactkeeper.store.history import History
    from pactkeeper.workspace import Workspace


MOST_COMMITS: Final = 20


@dataclass(frozen=True, slots=True)
class Window:
    """The swept commits between which a failure appeared: `good` is empty if no earlier sweep ran the check.

    `commits` are those after `good` up to `bad`, newest first, each with its subject; at most 20.
    """

    good: str
    bad: str
    commits: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class FixDetail:
    """A task with the current state of its failures, and the commits between which the first of them appeared."""

    task: FixTask
    findings: tuple[HealthFinding, ...]
    window: Window | None


@dataclass(frozen=True, slots=True)
class Completion:
    """A fix to be judged: the task, the commit that contains it, and who made it.

    `despite` is a person's reason to accept changes of tests that rules cannot call neutral; the checks must pass
    anyway. It only counts if `attended`, that is, with somebody at a terminal. `trust` is a declaration trusted this
    once, or `any`.
    """

    task: str
    commit: str = "HEAD"
    by: str = ""
    despite: str = ""
    attended: bool = False
    trust: str = ""


@dataclass(frozen=True, slots=True)
class Completed:
    """The verdict, and the task after it."""

    task: FixTask
    acceptance: Acceptance


def list_fix_tasks(workspace: Workspace, statuses: Sequence[FixStatus] = ()) -> tuple[FixTask, ...]:
    """List tasks by status, by default all open ones, oldest first."""
    from pactkeeper.store.health import fix_tasks  # noqa: PLC0415 - SQL

    if not workspace.has_history:
        return ()
    return fix_tasks(workspace.history(), statuses or sorted(OPEN))


def show_fix_task(workspace: Workspace, name: str) -> FixDetail:
    """Show one task with its failures; raises InputError if it is unknown."""
    from pactkeeper.store.health import fix_task  # noqa: PLC0415 - SQL

    history = workspace.history()
    task = fix_task(history, name)
    findings = _findings(history, task)
    return FixDetail(task, findings, _window(workspace, history, findings))


def _findings(history: History, task: FixTask) -> tuple[HealthFinding, ...]:
    from pactkeeper.store.health import health_findings  # noqa: PLC0415 - SQL

    named = {one.diagnostic.fingerprint: one for one in health_findings(history)}
    return tuple(named[each] for each in task.fingerprints if each in named)


def claim_fix_task(workspace: Workspace, name: str, *, by: str = "") -> FixTask:
    """Claim a waiting task; raises RefusedError if it is no longer waiting."""
    from pactkeeper.store.health import claim_fix_task as claim  # noqa: PLC0415 - SQL

    return claim(workspace.history(), name, by=by or workspace.person(), at=_now(workspace))


def release_fix_task(workspace: Workspace, name: str, *, reason: str, to_person: bool = False) -> FixTask:
    """Release a task so that others can claim it, or escalate it to a person; the reason is kept with it."""
    from pactkeeper.store.health import fix_task  # noqa: PLC0415 - SQL

    task = fix_task(workspace.history(), name)
    if task.status not in OPEN:
        raise RefusedError(f"{name} is {task.status}; only an unfinished task can be released")
    status: FixStatus = "escalated" if to_person else "pending"
    after = replace(task, status=status, claimed_by="", claimed_at="", note=reason)
    return _changed(workspace, task, after)


def complete_fix_task(workspace: Workspace, request: Completion) -> Completed:
    """Judge a fix: its changes to protected tests first, then whether the failed checks pass at its commit.

    An accepted fix closes the task; a refusal, unless it is only a doubt, counts as an attempt, and after too many the
    task is escalated to a person. Raises RefusedError for a task that the caller has not claimed, and UsageError for a
    reason to accept changed tests that does not come from a person at a terminal.
    """
    from pactkeeper.store.health import fix_task  # noqa: PLC0415 - SQL

    if request.despite:
        _ensure_person(workspace, request)
    task = fix_task(workspace.history(), request.task)
    _ensure_claimed(task, request.by or workspace.person(), commit=request.commit)
    commit = workspace.repository.resolve(request.commit)
    findings = _findings(workspace.history(), task)
    failing = frozenset(one.diagnostic.file for one in findings)
    fix = Fix(task, commit, _good(workspace.history(), findings), failing)
    judged = judge_fix(workspace, fix, despite=bool(request.despite), trust=request.trust)
    if judged.accepted:
        passed = replace(task, status="done", fix=commit, whole=judged.whole)
        after = replace(passed, finished_at=_now(workspace), note=request.despite)
    else:
        after = _refused(workspace, task, judged)
    changed = _changed(workspace, task, after)
    if judged.accepted:
        feed_evidence(workspace, commit, judged.results, fix=True)
    return Completed(changed, judged)


def _refused(workspace: Workspace, task: FixTask, judged: Acceptance) -> FixTask:
    """Return the task after a refusal: still assigned, so that its owner can try again, or escalated after too many.

    A doubt does not count as an attempt: rules cannot tell, which is not the fault of the fix.
    """
    note = "; ".join(str(one) for one in judged.refusals[:3])
    if judged.refusals and all(one.doubtful for one in judged.refusals):
        return replace(task, note=note)
    settings = workspace.pact(workspace.snapshot(task.commit)).settings.health
    tried = tried_in_vain(task, note, limits_of(settings))
    if tried.status != "failed":
        return tried
    return replace(tried, status="assigned", claimed_by=task.claimed_by, claimed_at=_now(workspace))


def _ensure_person(workspace: Workspace, request: Completion) -> None:
    """Refuse a reason that is not a person's own: an agent may have their terminal, and a script their name."""
    if workspace.acting or not request.attended:
        who = f"not {workspace.acting!r}" if workspace.acting else "and nobody is at one"
        raise UsageError(
            f"the reason {request.despite!r} to accept changed tests must come from a person at a terminal, "
            f"{who}; have it reviewed there: " + DESPITE(request.task, "--despite REASON")
        )


def _way_on(task: FixTask) -> str:
    """Tell the caller how to proceed with an unclaimed task."""
    if task.status in CLAIMABLE:
        return f"; claim it first: pk fixes claim {task.id}"
    if task.status == "done":
        by = f" by {task.fix[:12]}" if task.fix else ""
        return f" already{by}; a failure that comes back gets a new task: pk health sweep"
    if task.status == "escalated":
        return " and waits for a person, who may release it: " + RELEASE(task.id, "--reason REASON")
    return f" and no longer needs a fix: {task.note}" if task.note else " and needs no fix any more"


def _ensure_claimed(task: FixTask, by: str, *, commit: str) -> None:
    if task.status != "assigned":
        raise RefusedError(f"{task.id} is {task.status}" + _way_on(task))
    if task.claimed_by != by:
        at = "" if commit == "HEAD" else f" --commit {quote(commit)}"
        raise RefusedError(
            f"{task.id} is claimed by {task.claimed_by!r}, not by {by!r}; the claimant completes it with: pk "
            f"fixes complete {task.id}{at} --by {quote(task.claimed_by)}"
        )


def _changed(workspace: Workspace, before: FixTask, after: FixTask) -> FixTask:
    from pactkeeper.store.health import change_fix_task  # noqa: PLC0415 - SQL

    if not change_fix_task(workspace.history(), before, after):
        raise RefusedError(f"{before.id} was changed by somebody else meanwhile; look again: pk fixes show {before.id}")
    return after


def _window(workspace: Workspace, history: History, findings: Sequence[HealthFinding]) -> Window | None:
    from pactkeeper.store.health import sweep_commit  # noqa: PLC0415 - SQL

    if not findings:
        return None
    bad, good = sweep_commit(history, findings[0].first_sweep), _good(history, findings)
    return Window(good, bad, commits_between(workspace, good, bad) if good else ())


def _good(history: History, findings: Sequence[HealthFinding]) -> str:
    """Return the last swept commit without the first of these failures; empty if unknown."""
    from pactkeeper.store.health import judged_before  # noqa: PLC0415 - SQL

    first = next(iter(findings), None)
    return next(iter(judged_before(history, first.diagnostic.check, first.first_sweep)), "") if first else ""


def commits_between(workspace: Workspace, good: str, bad: str) -> tuple[tuple[str, str], ...]:
    """Return the commits after `good` up to `bad`, newest first, each with its subject; at most 20."""
    arguments = ("log", f"--max-count={MOST_COMMITS}", "--format=%H%x00%s", bad, f"^{good}", "--")
    lines = workspace.repository.run(*arguments, accept=(0, 128)).decode("utf-8", "replace").splitlines()
    parts = (line.partition("\0") for line in lines)
    return tuple((name, subject) for name, _, subject in parts)


def commits_since(workspace: Workspace, commit: str, tips: Sequence[str]) -> int:
    """Count the commits up to main's `tips` that a commit does not have; 1 if it is not in this repository."""
    counted = workspace.repository.run("rev-list", "--count", f"^{commit}", *tips, "--", accept=(0, 128))
    return int(counted or 1)


def part_of(workspace: Workspace, commits: Iterable[str], tips: Sequence[str]) -> frozenset[str]:
    """Return those of some commits that equal or precede one of the tips in this repository."""
    known = workspace.repository.commits_named(sorted(set(commits))).keys()
    sought = (*known, *(f"^{tip}" for tip in tips))
    beside = workspace.repository.run("rev-list", "--stdin", feed="".join(f"{one}\n" for one in sought).encode())
    return frozenset(known) - frozenset(beside.decode().split())


def _now(workspace: Workspace) -> str:
    return workspace.now().isoformat(timespec="seconds")
