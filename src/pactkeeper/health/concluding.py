"""Draws conclusions from a sweep: failures over time, new, fixed, failed and obsolete tasks, and escalations.

A sweep of a commit that others follow leads to no conclusions; if the environment is at fault, only conflict markers
count. A failure is gone only if its check reached a verdict on the commit and nothing it still reports can mask the
failure, or if the check is no longer declared. A different failure in the same file is a separate failure.

Also maps a runner's failures to declared tests, and so to the atoms they break.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from pactkeeper.health.absence import SURROUNDINGS, GoneFailures, reported
from pactkeeper.health.grouping import FailureGroup
from pactkeeper.health.tasking import SweepFacts, TaskContext, Tasks, follow, is_undeclared, kind_of, tasks_of
from pactkeeper.intent.binding import Files, bind
from pactkeeper.intent.health import Diagnostic, FailureKind, FixTask, HealthFinding, HealthState, Sweep
from pactkeeper.intent.links import LIVE_LINKS, LinkedTest
from pactkeeper.intent.results import Case
from pactkeeper.ledger.answering import Reply
from pactkeeper.repo.test_side import is_test_side

Change = tuple[FixTask, FixTask]
# Of a sweep of a commit that others follow.
RECORDED: Final = "newer commits decide what is open; pk health timeline shows this one"


@dataclass(frozen=True, slots=True)
class EarlierSweeps:
    """The state left by earlier sweeps: findings, tasks, and the position of every sweep by id, this one included."""

    findings: Sequence[HealthFinding] = ()
    tasks: Sequence[FixTask] = ()
    order: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Conclusion:
    """The outcome of a sweep to store: current findings, new tasks, and changed tasks before and after.

    `waiting` counts root causes beyond the task limit, left for a later sweep. `groups` are those and the causes of the
    new tasks; `grouping` is the reply to the question about them. `aside` says why no conclusions were drawn, empty if
    they were.
    """

    sweep: Sweep
    findings: tuple[HealthFinding, ...] = ()
    tasks: tuple[FixTask, ...] = ()
    changes: tuple[Change, ...] = ()
    waiting: int = 0
    groups: tuple[FailureGroup, ...] = ()
    grouping: Reply | None = None
    aside: str = ""

    @property
    def escalated(self) -> tuple[FixTask, ...]:
        """The tasks that this sweep escalates to a person."""
        changed = (after for before, after in self.changes if before.status != "escalated")
        return tuple(one for one in (*self.tasks, *changed) if one.status == "escalated")

    @property
    def dropped(self) -> tuple[FixTask, ...]:
        """The claimed tasks that became obsolete."""
        return tuple(
            after for before, after in self.changes if (before.status, after.status) == ("assigned", "obsolete")
        )


def conclude(sweep: Sweep, known: EarlierSweeps, facts: SweepFacts) -> Conclusion:
    """Draw the conclusions of one sweep, deterministically and in a stable order."""
    if sweep.stale:
        return Conclusion(sweep, aside=RECORDED)
    earlier = {one.diagnostic.fingerprint: one for one in known.findings}
    judged = _judged(sweep)
    now = _findings(judged, known, earlier, facts)
    changes = follow(_concerned(known.tasks, sweep, facts), now, facts, commit=sweep.commit)
    followed = {before.id: (before, after) for before, after in changes}
    now = _failed(now, followed.values())
    present = [followed[one.id][1] if one.id in followed else one for one in known.tasks]
    made = tasks_of(judged, TaskContext(facts, now, present, known.order))
    return _concluded(sweep, _held(now, made), followed, made, earlier=earlier)


def _judged(sweep: Sweep) -> Sweep:
    """Return the sweep with its reliable results: only the conflict-marker check if the environment is at fault."""
    if not sweep.infrastructure:
        return sweep
    return replace(sweep, results=tuple(one for one in sweep.results if one.category == "conflict"))


def _concerned(tasks: Iterable[FixTask], sweep: Sweep, facts: SweepFacts) -> Iterator[FixTask]:
    """Yield the tasks the sweep has something to say about."""
    for one in tasks:
        if not sweep.infrastructure or one.category == "conflict" or is_undeclared(one.checks, facts.checks):
            yield one


def _findings(
    sweep: Sweep, known: EarlierSweeps, earlier: Mapping[str, HealthFinding], facts: SweepFacts
) -> dict[str, HealthFinding]:
    """Return every finding as of this sweep, by fingerprint."""
    seen = {one.fingerprint: one for result in sweep.results for one in reported(result)}
    if sweep.infrastructure:
        fault = Diagnostic(SURROUNDINGS, "build", "error", sweep.infrastructure)
        seen[fault.fingerprint] = fault
    gone = GoneFailures.of(sweep, known.findings, known.order)
    found = dict(earlier)
    for name, one in earlier.items():
        dropped = one.diagnostic.check != SURROUNDINGS and is_undeclared((one.diagnostic.check,), facts.checks)
        if name not in seen and one.state != "resolved" and (dropped or gone.says(one)):
            found[name] = replace(one, state="resolved")
    found.update({one.diagnostic.fingerprint: one for one in _noted(seen.values(), sweep, earlier, facts)})
    return found


def _noted(
    seen: Iterable[Diagnostic], sweep: Sweep, earlier: Mapping[str, HealthFinding], facts: SweepFacts
) -> Iterator[HealthFinding]:
    """Yield a finding per diagnostic, continuing the earlier one unless that was resolved."""
    for one in seen:
        name = one.fingerprint
        broken = facts.broken.get(name, ())
        diagnostic = replace(one, severity="error") if broken else one
        before = earlier.get(name)
        if before is None or before.state == "resolved":
            before = HealthFinding(diagnostic, "open", sweep.id, sweep.id)
        yield replace(
            before,
            diagnostic=diagnostic,
            last_sweep=sweep.id,
            flaky=name in facts.flaky,
            atoms=facts.proves.get(name, ()),
            broken=broken,
            surroundings=facts.blamed.get(name, ""),
            kind=_kind(one, facts),
        )


def _kind(one: Diagnostic, facts: SweepFacts) -> FailureKind:
    if one.fingerprint in facts.flaky:
        return "flaky"
    machine = one.check == SURROUNDINGS or one.fingerprint in facts.blamed
    return "environment" if machine else kind_of(one, facts.own, facts.suspects.get(one.fingerprint, ()))


def _failed(findings: Mapping[str, HealthFinding], changes: Iterable[Change]) -> dict[str, HealthFinding]:
    """Count failed attempts on the findings they were meant to fix."""
    found = dict(findings)
    for before, after in changes:
        if after.attempts > before.attempts:
            for name in before.fingerprints:
                one = found.get(name)
                if one is not None and one.task == before.id and one.state != "resolved":
                    found[name] = replace(one, state="failed", failures=one.failures + 1)
    return found


def _held(findings: Mapping[str, HealthFinding], made: Tasks) -> dict[str, HealthFinding]:
    """Record on each finding the task, new or extended, that covers it."""
    found = dict(findings)
    for task in (*made.new, *(after for _, after in made.joined)):
        for name in task.fingerprints:
            if name in found and found[name].state != "resolved":
                state: HealthState = "failed" if found[name].failures else "assigned"
                found[name] = replace(found[name], state=state, task=task.id)
    return found


def _concluded(
    sweep: Sweep,
    findings: Mapping[str, HealthFinding],
    followed: Mapping[str, Change],
    made: Tasks,
    *,
    earlier: Mapping[str, HealthFinding],
) -> Conclusion:
    changes = dict(followed)
    for before, after in made.joined:
        first = changes[before.id][0] if before.id in changes else before
        changes[before.id] = (first, after)
    return Conclusion(
        sweep=replace(sweep, tasks=tuple(one.id for one in made.new)),
        findings=tuple(one for name, one in findings.items() if one != earlier.get(name)),
        tasks=made.new,
        changes=tuple(changes.values()),
        waiting=made.waiting,
        groups=made.groups,
    )


_SEPARATED: Final = re.compile(r" [>›] ")
_DOTTED: Final = re.compile(r"(?P<suite>[\w$.]+)\.(?P<name>[\w$]+)(?: \(.*\))?\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Proofs:
    """Failed tests, the atoms they prove, and the committed ones among these, sorted, each by fingerprint.

    `sentences` are those of the committed ones.
    """

    tests: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    proves: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    broken: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    sentences: Mapping[str, str] = field(default_factory=dict)


def case_of(one: Diagnostic) -> Case:
    """Parse a runner's test name into a case: pytest ids, Jest and Vitest chains, dotted names, and titles."""
    if "::" in one.test:
        file, *names = one.test.split("::")
        return Case(tuple(names), file=file, line=one.line if one.file == file else 0)
    parts = _SEPARATED.split(one.test)
    if len(parts) > 1 and is_test_side(parts[0]):
        return Case(tuple(parts[1:]), file=parts[0])
    file = next((path for path in (one.file, *one.related) if is_test_side(path)), "")
    dotted = _DOTTED.match(one.test)
    if dotted is not None:
        return Case((dotted["suite"], dotted["name"]), file=file, joined=True)
    return Case((one.test,), file=file, joined=True)


def proofs(
    diagnostics: Sequence[Diagnostic], linked: Sequence[LinkedTest], files: Files, *, committed: Container[str]
) -> Proofs:
    """Match each failure that names a test to declared tests; an unknown or ambiguous test proves nothing."""
    failing = [one for one in diagnostics if one.test and one.severity == "error"]
    bound = bind([case_of(one) for one in failing], [entry.test for entry in linked], files)
    atoms = {entry.test.id: entry.atoms(LIVE_LINKS) for entry in linked}
    tests: dict[str, tuple[str, ...]] = {}
    proves: dict[str, tuple[str, ...]] = {}
    broken: dict[str, tuple[str, ...]] = {}
    for one, match in zip(failing, bound, strict=True):
        found = sorted(set().union(*(atoms[test] for test in match.tests)))
        tests[one.fingerprint] = match.tests
        proves[one.fingerprint] = tuple(found)
        broken[one.fingerprint] = tuple(atom for atom in found if atom in committed)
    return Proofs(tests, _without_empty(proves), _without_empty(broken))


def _without_empty(found: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    return {name: atoms for name, atoms in found.items() if atoms}
