"""The verbs around fix tasks: list, look at, claim, give back, and have a fix judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from shlex import quote
from typing import TYPE_CHECKING, Final

from pactkeeper.errors import RefusedError, UsageError
from pactkeeper.health.acceptance import Acceptance
from pactkeeper.health.following import OPEN, tried_in_vain
from pactkeeper.intent.health import CLAIMABLE, FixStatus, FixTask, HealthFinding
from pactkeeper.operators.concluded import limits_of
from pactkeeper.operators.fix_judging import Fix, judge_fix

if TYPE_CHECKING:
    from pactkeeper.store.history import History
    from pactkeeper.workspace import Workspace


MOST_COMMITS: Final = 20
_REMOTE: Final = ("origin/", "refs/remotes/")


@dataclass(frozen=True, slots=True)
class Window:
    """Between which swept commits a failure came: `good` is empty where no earlier sweep judged the check.

    `commits` are the commits after `good` up to `bad`, the newest first, each with its subject; at most 20.
    """

    good: str
    bad: str
    commits: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class FixDetail:
    """A task with the failures it is to mend as they are now, and between which commits the first of them came."""

    task: FixTask
    findings: tuple[HealthFinding, ...]
    window: Window | None


@dataclass(frozen=True, slots=True)
class Completion:
    """A fix to be judged: the task, the commit that holds it, and who made it.

    `despite` is a person's reason to take changes of tests that rules cannot call neutral; the checks must pass anyway.
    It counts where `attended`: somebody is at a terminal. `trust` is a declaration that is trusted this once, or `any`.
    """

    task: str
    commit: str = "HEAD"
    by: str = ""
    despite: str = ""
    attended: bool = False
    trust: str = ""


@dataclass(frozen=True, slots=True)
class Completed:
    """What was judged, and the task as it is now."""

    task: FixTask
    acceptance: Acceptance


def list_fix_tasks(workspace: Workspace, statuses: Sequence[FixStatus] = ()) -> tuple[FixTask, ...]:
    """Tasks in these statuses, by default all that are still to be done, the oldest first."""
    from pactkeeper.store.health import fix_tasks  # noqa: PLC0415 - SQL

    if not workspace.has_history:
        return ()
    return fix_tasks(workspace.history(), statuses or sorted(OPEN))


def show_fix_task(workspace: Workspace, name: str) -> FixDetail:
    """Show one task with its failures; raises InputError for an unknown one."""
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
    """Take a task that waits; raises RefusedError where it does not wait any more."""
    from pactkeeper.store.health import claim_fix_task as claim  # noqa: PLC0415 - SQL

    return claim(workspace.history(), name, by=by or workspace.person(), at=_now(workspace))


def release_fix_task(workspace: Workspace, name: str, *, reason: str, to_person: bool = False) -> FixTask:
    """Give a task back so that others may claim it, or hand it to a person; the reason stays with it."""
    from pactkeeper.store.health import fix_task  # noqa: PLC0415 - SQL

    task = fix_task(workspace.history(), name)
    if task.status not in OPEN:
        raise RefusedError(f"{name} is {task.status}; only a task that is still to be done can be given back")
    status: FixStatus = "escalated" if to_person else "pending"
    after = replace(task, status=status, claimed_by="", claimed_at="", note=reason)
    return _changed(workspace, task, after)


def complete_fix_task(workspace: Workspace, request: Completion) -> Completed:
    """Judge a fix: what it does to protected tests first, then whether the checks that failed pass at its commit.

    A fix that is taken closes the task; one that is refused counts as a try, a doubt aside, and after too many a person
    is asked. Raises RefusedError for a task that whoever asks has not claimed, and UsageError for a reason
    to take changed tests that does not come from a person at a terminal.
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
        after = replace(task, status="done", fix=commit, finished_at=_now(workspace), note=request.despite)
    else:
        after = _refused(workspace, task, judged)
    return Completed(_changed(workspace, task, after), judged)


def _refused(workspace: Workspace, task: FixTask, judged: Acceptance) -> FixTask:
    """The task after a refusal: still with whoever has it, who may simply try again, or a person's after too many.

    A doubt costs no try: rules cannot tell, and that is not the fault of the fix.
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
    """An agent that acts for a person may have their terminal, and a script their name; neither is their word."""
    if workspace.acting or not request.attended:
        who = f"not {workspace.acting!r}" if workspace.acting else "and nobody is at one"
        raise UsageError(
            f"the reason {request.despite!r} to take changed tests must come from a person at a terminal, {who}; "
            f"have the change reviewed there: pk fixes complete {request.task} --despite REASON"
        )


def _way_on(task: FixTask) -> str:
    """What whoever wants to complete a task that nobody has claimed may do."""
    if task.status in CLAIMABLE:
        return f"; claim it first: pk fixes claim {task.id}"
    if task.status == "done":
        by = f" by {task.fix[:12]}" if task.fix else ""
        return f" already{by}; a failure that comes back gets a task of its own: pk health sweep"
    if task.status == "escalated":
        return f" and waits for a person, who may give it back: pk fixes release {task.id} --reason REASON"
    return f" and needs no fix any more: {task.note}" if task.note else " and needs no fix any more"


def _ensure_claimed(task: FixTask, by: str, *, commit: str) -> None:
    if task.status != "assigned":
        raise RefusedError(f"{task.id} is {task.status}{_way_on(task)}")
    if task.claimed_by != by:
        at = "" if commit == "HEAD" else f" --commit {quote(commit)}"
        raise RefusedError(
            f"{task.id} is claimed by {task.claimed_by!r}, not by {by!r}; "
            f"who claimed it completes it with: pk fixes complete {task.id}{at} --by {quote(task.claimed_by)}"
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
    """The last swept commit at which the first of these failures was not there; empty where none is known."""
    from pactkeeper.store.health import judged_before  # noqa: PLC0415 - SQL

    first = next(iter(findings), None)
    return next(iter(judged_before(history, first.diagnostic.check, first.first_sweep)), "") if first else ""


def commits_between(workspace: Workspace, good: str, bad: str) -> tuple[tuple[str, str], ...]:
    """The commits after `good` up to `bad`, the newest first, each with its subject; at most 20."""
    arguments = ("log", f"--max-count={MOST_COMMITS}", "--format=%H%x00%s", bad, f"^{good}", "--")
    lines = workspace.repository.run(*arguments, accept=(0, 128)).decode("utf-8", "replace").splitlines()
    return tuple((name, subject) for name, _, subject in (line.partition("\0") for line in lines))


def _now(workspace: Workspace) -> str:
    return workspace.now().isoformat(timespec="seconds")
