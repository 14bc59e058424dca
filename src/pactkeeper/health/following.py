"""Updates existing tasks after a sweep: done, failed, expired, or obsolete."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final

from pactkeeper.intent.health import FixStatus, FixTask, HealthFinding

OPEN: Final[frozenset[FixStatus]] = frozenset({"pending", "assigned", "failed", "escalated"})
PATIENCE: Final = timedelta(hours=24)  # for a claim, and for a fix to reach the swept branch


@dataclass(frozen=True, slots=True)
class FollowLimits:
    """Limits: tasks per sweep, files per task, attempts per task, and how deep a fix of a fix may go."""

    tasks: int = 25
    files: int = 3
    attempts: int = 3
    depth: int = 2


@dataclass(frozen=True, slots=True)
class Moment:
    """The sweep that tasks are evaluated at; `merged` are those whose fix is part of the swept commit.

    `checks` names all checks of the commit, None if they are unknown.
    """

    commit: str
    now: str
    merged: frozenset[str] = frozenset()
    limits: FollowLimits = field(default_factory=FollowLimits)
    checks: frozenset[str] | None = None


def follow(
    tasks: Iterable[FixTask], findings: Mapping[str, HealthFinding], moment: Moment
) -> Iterator[tuple[FixTask, FixTask]]:
    """Yield every task that changes, as (before, after); `findings` are all current ones, by fingerprint."""
    for task in tasks:
        after = _followed(task, findings, moment)
        if after != task:
            yield task, after


def holds(task: FixTask, finding: HealthFinding | None) -> bool:
    """Whether the task covers this failure and the failure persists."""
    return finding is not None and finding.task == task.id and finding.state != "resolved"


def is_undeclared(checks: Collection[str], declared: Collection[str] | None) -> bool:
    """Whether a commit declares none of these checks; False if its checks are unknown."""
    return declared is not None and bool(checks) and not any(one in declared for one in checks)


def tried_in_vain(task: FixTask, note: str, limits: FollowLimits) -> FixTask:
    """Return the task after a failed attempt: available again, or escalated once attempts run out."""
    attempts = task.attempts + 1
    if attempts >= limits.attempts:
        said = f"a person must look: {attempts} tries did not mend it; the last: {note}"
        return replace(task, status="escalated", attempts=attempts, claimed_by="", claimed_at="", note=said)
    return replace(task, status="failed", attempts=attempts, claimed_by="", claimed_at="", fix="", note=note)


def _followed(task: FixTask, findings: Mapping[str, HealthFinding], moment: Moment) -> FixTask:
    here = any(holds(task, findings.get(name)) for name in task.fingerprints)
    if task.status in OPEN and not here:
        return _over(task, moment)
    if task.status == "assigned" and _passed(task.claimed_at, moment.now):
        return tried_in_vain(task, f"{task.claimed_by} claimed it and did not come back", moment.limits)
    if task.status == "done" and here:
        return _after_done(task, moment)
    return task


def _over(task: FixTask, moment: Moment) -> FixTask:
    """Close a task whose failures are gone: done if somebody had claimed it, else obsolete."""
    if is_undeclared(task.checks, moment.checks):
        what = "its check is" if len(task.checks) == 1 else "its checks are"
        told = f"; {task.claimed_by} need not go on" if task.status == "assigned" else ""
        note = f"{what} no longer declared: {', '.join(task.checks)}{told}"
        return replace(task, status="obsolete", finished_at=moment.now, note=note)
    done = task.status == "assigned"
    note = f"its failures are gone at {moment.commit[:12]}"
    return replace(task, status="done" if done else "obsolete", finished_at=moment.now, note=note)


def _after_done(task: FixTask, moment: Moment) -> FixTask:
    """Reopen an accepted fix whose failure persists, if it was merged without effect or never merged in time."""
    if task.id in moment.merged:
        note = f"the fix {task.fix[:12]} is in {moment.commit[:12]}, and the failure is still there"
        return tried_in_vain(task, note, moment.limits)
    if _passed(task.finished_at, moment.now):
        return tried_in_vain(task, f"the fix {task.fix[:12]} was accepted and never merged", moment.limits)
    return task


def _passed(since: str, now: str) -> bool:
    return bool(since) and datetime.fromisoformat(now) - datetime.fromisoformat(since) > PATIENCE
