"""Tasks from failures: few, each for one root cause; updated after each sweep: done, failed, expired or obsolete."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import PurePosixPath
from typing import Final

from pactkeeper.health.absence import reported
from pactkeeper.health.causes import misses_foreign
from pactkeeper.health.grouping import FailureGroup, describe, group, slug, together
from pactkeeper.health.tree import is_lock
from pactkeeper.intent.health import (
    CHECK_CATEGORIES,
    FAILED,
    CheckCategory,
    CheckResult,
    Diagnostic,
    FailureKind,
    FixStatus,
    FixTask,
    HealthFinding,
    Sweep,
)
from pactkeeper.intent.ids import hashed_id

PATIENT: Final = 3  # sweeps that a cause waits before it overtakes everything more severe
_TAIL_LINES: Final = 10


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
class SweepFacts:
    """What is known about a sweep besides its results; `now` is ISO 8601 with offset.

    By fingerprint: `flaky` failures that a rerun did not reproduce, the atoms that a failing test `proves`, the
    committed ones it has `broken`, the declared `tests` it is, and product files it `suspects`. `merged` are the tasks
    whose fix is part of the swept commit, `arrived` those whose fix the previous sweep did not have. `regrouped` are
    the fingerprints grouped together by an answer about an earlier conclusion from the same sweep. `checks` names all
    checks of the swept commit, None if only some were requested or the settings could not be read. `blamed` maps
    failures to the environmental reason for them, `own` names the repository's own modules, and `sentences` says what
    broken atoms promise.
    """

    now: str
    flaky: frozenset[str] = frozenset()
    proves: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    broken: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    tests: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    suspects: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    merged: frozenset[str] = frozenset()
    arrived: frozenset[str] = frozenset()
    regrouped: tuple[frozenset[str], ...] = ()
    limits: FollowLimits = field(default_factory=FollowLimits)
    checks: frozenset[str] | None = None
    blamed: Mapping[str, str] = field(default_factory=dict)
    own: frozenset[str] = frozenset()
    sentences: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TaskContext:
    """The context for new tasks: all findings by fingerprint, all current tasks, and the position of every sweep.

    A regrouping applies as long as the failures are exactly the same.
    """

    facts: SweepFacts
    findings: Mapping[str, HealthFinding]
    tasks: Sequence[FixTask]
    order: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Tasks:
    """New tasks, tasks extended by more failures (before, after), and the number of causes left waiting.

    `groups` are all causes nobody covers yet, most urgent first; the first of them have the new tasks.
    """

    new: tuple[FixTask, ...] = ()
    joined: tuple[tuple[FixTask, FixTask], ...] = ()
    waiting: int = 0
    groups: tuple[FailureGroup, ...] = ()


def tasks_of(sweep: Sweep, ground: TaskContext) -> Tasks:
    """Create tasks for all failures except lint that no open task covers."""
    busy = {task.id: task for task in ground.tasks if _mends(task)}
    free = [one for one in _errors(sweep.results) if _is_free(ground.findings[one.fingerprint], busy)]
    groups = group(free, most_files=ground.facts.limits.files, suspects=ground.facts.suspects)
    joined, rest = _joined(groups, ground)
    rest = _regrouped(rest, ground)
    ranked = tuple(sorted(rest, key=lambda one: _urgency(one, sweep, ground)))
    taken = ranked[: ground.facts.limits.tasks]
    return Tasks(tuple(_task(one, sweep, ground) for one in taken), joined, len(ranked) - len(taken), ranked)


def failing_category(results: Iterable[CheckResult]) -> CheckCategory | None:
    """Return the first category, in the order of repair, with a failing check; never lint."""
    failed = {
        result.category for result in results if result.verdict in {*FAILED, "could not tell"} and reported(result)
    }
    return next((one for one in CHECK_CATEGORIES if one in failed and one != "lint"), None)


def _regrouped(groups: tuple[FailureGroup, ...], ground: TaskContext) -> tuple[FailureGroup, ...]:
    """Apply the regrouping from an answer if it is about exactly these failures."""
    found = [each for one in groups for each in one.diagnostics]
    if frozenset[str]().union(*ground.facts.regrouped) != {one.fingerprint for one in found}:
        return groups
    parts: list[FailureGroup] = []
    for prints in ground.facts.regrouped:
        part = [one for one in found if one.fingerprint in prints]
        parts.append(together(part, most_files=ground.facts.limits.files, suspects=ground.facts.suspects))
    return tuple(parts)


def _errors(results: Sequence[CheckResult]) -> Iterator[Diagnostic]:
    """Yield failures; after the first failing category, only those naming a test or file: the rest may be knock-on."""
    first = failing_category(results)
    for result in results:
        if result.category != "lint" and result.verdict in {*FAILED, "could not tell"}:
            errors = [one for one in reported(result) if one.severity == "error" and one.category != "lint"]
            yield from (one for one in errors if result.category == first or one.test or one.file)


def _is_free(finding: HealthFinding, busy: Mapping[str, FixTask]) -> bool:
    task = busy.get(finding.task)
    return not (finding.flaky or finding.surroundings) and (task is None or not holds(task, finding))


def _mends(task: FixTask) -> bool:
    """Whether a task still covers its failures; an accepted fix is on its way."""
    return task.status in OPEN or task.status == "done"


def _joined(
    groups: Iterable[FailureGroup], ground: TaskContext
) -> tuple[tuple[tuple[FixTask, FixTask], ...], tuple[FailureGroup, ...]]:
    """Add failures to the open task with the same root cause; a cause that is only a file name never matches."""
    by_cause = {task.cause: task for task in ground.tasks if task.status in OPEN}
    joined, rest = [], []
    for one in groups:
        task = by_cause.get(_cause(one)) if one.sure else None
        if task is None:
            rest.append(one)
        else:
            joined.append(
                (task, replace(task, fingerprints=tuple(dict.fromkeys([*task.fingerprints, *one.fingerprints]))))
            )
    return tuple(joined), tuple(rest)


def _urgency(one: FailureGroup, sweep: Sweep, ground: TaskContext) -> tuple[bool, bool, int]:
    place = ground.order.get(sweep.id, 0)
    since = min(ground.order.get(ground.findings[name].first_sweep, 0) for name in one.fingerprints)  # 0 if forgotten
    return place - since < PATIENT, not _breaks(one, ground), since


def _breaks(one: FailureGroup, ground: TaskContext) -> tuple[str, ...]:
    return tuple(sorted({atom for name in one.fingerprints for atom in ground.facts.broken.get(name, ())}))


def _cause(one: FailureGroup) -> str:
    return f"{one.cause.kind}: {one.cause.about}"


def _task(one: FailureGroup, sweep: Sweep, ground: TaskContext) -> FixTask:
    depth = _depth(one, ground)
    name = _id(one, sweep, ground)
    escalated = depth > ground.facts.limits.depth
    return FixTask(
        id=name,
        description=_description(one, sweep, ground),
        scope=one.scope,
        acceptance=_acceptance(one),
        branch=f"fix/{name}-{slug(one.cause)}".rstrip("-"),
        created_at=ground.facts.now,
        commit=sweep.commit,
        category=one.diagnostics[0].category,
        checks=one.checks,
        fingerprints=one.fingerprints,
        status="escalated" if escalated else "pending",
        protected=tuple(dict.fromkeys(test for each in one.fingerprints for test in ground.facts.tests.get(each, ()))),
        atoms=_breaks(one, ground),
        depth=depth,
        cause=_cause(one),
        kind=ground.findings[one.fingerprints[0]].kind,
        note="a person must look: fixes for this keep causing failures" if escalated else "",
    )


def _id(one: FailureGroup, sweep: Sweep, ground: TaskContext) -> str:
    """Derive a task id from failures and commit, with a counter if such a task existed before."""
    taken = {task.id for task in ground.tasks}
    parts = (*sorted(one.fingerprints), sweep.commit)
    name, again = hashed_id("fix", *parts), 0
    while name in taken:
        again += 1
        name = hashed_id("fix", *parts, str(again))
    return name


def _depth(one: FailureGroup, ground: TaskContext) -> int:
    """Return 1, or one more than the depth of a fix that has just arrived and touched the same files."""
    files = {path for each in one.diagnostics for path in (each.file, *each.related)}.union(one.scope)
    causes = [task.depth for task in ground.tasks if task.id in ground.facts.arrived and files.intersection(task.scope)]
    return max(causes, default=0) + 1


def _description(one: FailureGroup, sweep: Sweep, ground: TaskContext) -> str:
    text = describe(one, proves=ground.facts.broken, sentences=ground.facts.sentences)
    if one.cause.kind != "check":
        return text
    outputs = {result.check: result.output for result in sweep.results}
    ends = (outputs[name].text.rstrip().splitlines()[-_TAIL_LINES:] for name in one.checks)
    tail = "\n".join(f"  {line}" for end in ends for line in end)
    return f"{text}\nThe end of its output:\n{tail}"


def _acceptance(one: FailureGroup) -> str:
    """Describe the acceptance criteria; a check is forgiven only for failures covered by other tasks."""
    passes = " and ".join(f"check {name!r} returns 0" for name in one.checks)
    others = "or reports only errors that belong to other open fix tasks"
    return f"{passes}, {others}; no test that proves a committed atom is removed, skipped or asserts less"


_SYNTAX: Final = re.compile(r"(?:Syntax|Indentation|Tab|Parse)Error\Z|TS1\d{3}\Z|syntax\Z|(?:reportS|s)yntaxError\Z")
_GO_SYNTAX: Final = "syntax error: "
_OPTIONS: Final = re.compile(r"TS(?:5\d{3}|6\d{3}|18003)\Z")  # tsc's errors about tsconfig.json
_TYPES: Final = re.compile(
    r"TS\d+\Z|report[A-Z]\w+\Z|[a-z]+(?:-[a-z]+)+\Z|(?:assignment|index|misc|operator|override)\Z"
)
_SETTINGS: Final = ("config", "rc")  # suffixes of a component of a settings file's name


def kind_of(one: Diagnostic, own: Collection[str], suspects: Sequence[str] = ()) -> FailureKind:
    """Classify a failure caused by the commit.

    `own` names the repository's own modules, `suspects` the files that the failure may come from.
    """
    if one.category in {"conflict", "lint"}:
        return "conflict" if one.category == "conflict" else "lint"
    if one.rule == "timeout":
        return "timeout"
    if (_SYNTAX.search(one.rule) and not one.symbol) or one.message.startswith(_GO_SYNTAX):
        return "syntax"
    if misses_foreign(one, own):
        return "dependency"
    if _is_of_settings(one, suspects):
        return "settings"
    if one.category == "test":
        return "test"
    return "types" if _TYPES.match(one.rule) else "build"


def _is_of_settings(one: Diagnostic, suspects: Sequence[str]) -> bool:
    """Whether it is located in a settings file, or is a tool's message about one and nothing else."""
    places = [one.file] if one.file else [] if one.test else one.related or suspects
    return _OPTIONS.match(one.rule) is not None or (bool(places) and all(map(_is_settings, places)))


def _is_settings(path: str) -> bool:
    name = PurePosixPath(path).name
    return is_lock(path) or name.endswith((".ini", ".cfg")) or any(one.endswith(_SETTINGS) for one in name.split("."))


def follow(
    tasks: Iterable[FixTask], findings: Mapping[str, HealthFinding], facts: SweepFacts, *, commit: str
) -> Iterator[tuple[FixTask, FixTask]]:
    """Yield every task that changes at a swept commit, as (before, after).

    `findings` are all current ones, by fingerprint.
    """
    for task in tasks:
        after = _followed(task, findings, facts, commit)
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
        said = f"a person must look: {attempts} tries did not fix it; the last: {note}"
        return replace(task, status="escalated", attempts=attempts, claimed_by="", claimed_at="", note=said)
    return replace(task, status="failed", attempts=attempts, claimed_by="", claimed_at="", fix="", note=note)


def _followed(task: FixTask, findings: Mapping[str, HealthFinding], facts: SweepFacts, commit: str) -> FixTask:
    here = any(holds(task, findings.get(name)) for name in task.fingerprints)
    if task.status in OPEN and not here:
        return _over(task, facts, commit)
    if task.status == "assigned" and _passed(task.claimed_at, facts.now):
        return tried_in_vain(task, f"{task.claimed_by} claimed it and went silent", facts.limits)
    if task.status == "done" and here:
        return _after_done(task, facts, commit)
    return task


def _over(task: FixTask, facts: SweepFacts, commit: str) -> FixTask:
    """Close a task whose failures are gone: done if somebody had claimed it, else obsolete."""
    if is_undeclared(task.checks, facts.checks):
        what = "its check is" if len(task.checks) == 1 else "its checks are"
        told = f"; {task.claimed_by} can stop" if task.status == "assigned" else ""
        note = f"{what} no longer declared: {', '.join(task.checks)}{told}"
        return replace(task, status="obsolete", finished_at=facts.now, note=note)
    done = task.status == "assigned"
    note = f"its failures are gone at {commit[:12]}"
    return replace(task, status="done" if done else "obsolete", finished_at=facts.now, note=note)


def _after_done(task: FixTask, facts: SweepFacts, commit: str) -> FixTask:
    """Reopen an accepted fix whose failure persists, if it was merged without effect or never merged in time."""
    if task.id in facts.merged:
        note = f"the fix {task.fix[:12]} is in {commit[:12]}, and the failure is still there"
        return tried_in_vain(task, note, facts.limits)
    if _passed(task.finished_at, facts.now):
        return tried_in_vain(task, f"the fix {task.fix[:12]} was accepted and never merged", facts.limits)
    return task


def _passed(since: str, now: str) -> bool:
    return bool(since) and datetime.fromisoformat(now) - datetime.fromisoformat(since) > PATIENCE
