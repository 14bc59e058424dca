"""What a sweep changes: failures over time, tasks that are new, mended, failed or obsolete, and what a person gets.

Nothing follows from a stale sweep, red or green, and of surroundings at fault only what is told of conflict markers. A
failure is gone only where its check really judged the commit and nothing that it still reports can have hidden it, or
where that check is no longer declared. A different failure in the same file is a failure of its own.

Which declared tests the failures of a runner are, and so which atoms they say are broken.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from pactkeeper.health.absence import SURROUNDINGS, Gone, reported
from pactkeeper.health.following import Moment, follow, is_undeclared
from pactkeeper.health.grouping import FailureGroup
from pactkeeper.health.tasking import Facts, TaskContext, Tasks, kind_of, tasks_of
from pactkeeper.intent.health import Diagnostic, FailureKind, FixTask, HealthFinding, HealthState, Sweep
from pactkeeper.intent.links import LIVE_LINKS, LinkedTest
from pactkeeper.intent.results import Case, Files, bind
from pactkeeper.ledger.answering import Reply
from pactkeeper.repo.test_side import is_test_side

Change = tuple[FixTask, FixTask]


@dataclass(frozen=True, slots=True)
class EarlierSweeps:
    """What earlier sweeps left: every finding and task, and the place of every sweep by its id, this one's included."""

    findings: Sequence[HealthFinding] = ()
    tasks: Sequence[FixTask] = ()
    order: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Conclusion:
    """What is to be kept of a sweep: findings as they are now, new tasks, and tasks as they were and are to be.

    `waiting` counts root causes that got no task because there were enough; a later sweep takes them. `groups` are
    those and the causes of the new tasks; `grouping` is what became of asking somebody about them. `aside` says why
    nothing follows, empty where something may.
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
        """The tasks that this sweep hands to a person."""
        changed = (after for before, after in self.changes if before.status != "escalated")
        return tuple(one for one in (*self.tasks, *changed) if one.status == "escalated")

    @property
    def dropped(self) -> tuple[FixTask, ...]:
        """The tasks that somebody had claimed and that nobody needs any more."""
        return tuple(
            after for before, after in self.changes if (before.status, after.status) == ("assigned", "obsolete")
        )


def conclude(sweep: Sweep, known: EarlierSweeps, facts: Facts) -> Conclusion:
    """Draw the conclusions of one sweep; the same input gives the same ones in the same order."""
    if sweep.stale:
        return Conclusion(sweep, aside="HEAD or the branch moved on while it ran")
    earlier = {one.diagnostic.fingerprint: one for one in known.findings}
    judged = _judged(sweep)
    now = _findings(judged, known, earlier, facts)
    moment = Moment(sweep.commit, facts.now, facts.merged, facts.limits, facts.checks)
    followed = dict(_by_id(follow(_concerned(known.tasks, sweep, moment), now, moment)))
    now = _failed(now, followed.values())
    present = [followed[one.id][1] if one.id in followed else one for one in known.tasks]
    made = tasks_of(judged, TaskContext(facts, now, present, known.order))
    return _concluded(sweep, _held(now, made), followed, made, earlier=earlier)


def _judged(sweep: Sweep) -> Sweep:
    """A sweep with what can be relied on: where the surroundings are at fault, only the search for conflict markers."""
    if not sweep.infrastructure:
        return sweep
    return replace(sweep, results=tuple(one for one in sweep.results if one.category == "conflict"))


def _concerned(tasks: Iterable[FixTask], sweep: Sweep, moment: Moment) -> Iterator[FixTask]:
    """The tasks of which a sweep tells something."""
    for one in tasks:
        if not sweep.infrastructure or one.category == "conflict" or is_undeclared(one.checks, moment.checks):
            yield one


def _findings(
    sweep: Sweep, known: EarlierSweeps, earlier: Mapping[str, HealthFinding], facts: Facts
) -> dict[str, HealthFinding]:
    """Every finding as it is after the sweep, by fingerprint."""
    seen = {one.fingerprint: one for result in sweep.results for one in reported(result)}
    if sweep.infrastructure:
        fault = Diagnostic(SURROUNDINGS, "build", "error", sweep.infrastructure)
        seen[fault.fingerprint] = fault
    gone = Gone.of(sweep, known.findings, known.order)
    found = dict(earlier)
    for name, one in earlier.items():
        dropped = one.diagnostic.check != SURROUNDINGS and is_undeclared((one.diagnostic.check,), facts.checks)
        if name not in seen and one.state != "resolved" and (dropped or gone.says(one)):
            found[name] = replace(one, state="resolved")
    found.update({one.diagnostic.fingerprint: one for one in _noted(seen.values(), sweep, earlier, facts)})
    return found


def _noted(
    seen: Iterable[Diagnostic], sweep: Sweep, earlier: Mapping[str, HealthFinding], facts: Facts
) -> Iterator[HealthFinding]:
    """What was seen, as the continuation of what was known of it; one that was resolved begins anew."""
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


def _kind(one: Diagnostic, facts: Facts) -> FailureKind:
    if one.fingerprint in facts.flaky:
        return "flaky"
    machine = one.check == SURROUNDINGS or one.fingerprint in facts.blamed
    return "environment" if machine else kind_of(one, facts.own, facts.suspects.get(one.fingerprint, ()))


def _by_id(changes: Iterable[Change]) -> Iterator[tuple[str, Change]]:
    for before, after in changes:
        yield before.id, (before, after)


def _failed(findings: Mapping[str, HealthFinding], changes: Iterable[Change]) -> dict[str, HealthFinding]:
    """Count the failed tries on the findings they were for."""
    found = dict(findings)
    for before, after in changes:
        if after.attempts > before.attempts:
            for name in before.fingerprints:
                one = found.get(name)
                if one is not None and one.task == before.id and one.state != "resolved":
                    found[name] = replace(one, state="failed", failures=one.failures + 1)
    return found


def _held(findings: Mapping[str, HealthFinding], made: Tasks) -> dict[str, HealthFinding]:
    """Name the new task, or the one that took it on, on every finding it is to mend."""
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
    """By fingerprint: the tests that failed, all atoms that they prove, and the committed ones of these, sorted."""

    tests: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    proves: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    broken: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def case_of(one: Diagnostic) -> Case:
    """A failing test as a report would name it: pytest's ids, the chains of Jest and Vitest, dotted names, titles."""
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
    """Bind every failure that names a test; one that is no known test, or could be several, proves nothing."""
    failing = [one for one in diagnostics if one.test and one.severity == "error"]
    bound = bind([case_of(one) for one in failing], [entry.test for entry in linked], files)
    links = {entry.test.id: [link for link in entry.links if link.state in LIVE_LINKS] for entry in linked}
    tests: dict[str, tuple[str, ...]] = {}
    proves: dict[str, tuple[str, ...]] = {}
    broken: dict[str, tuple[str, ...]] = {}
    for one, match in zip(failing, bound, strict=True):
        found = [link for test in match.tests for link in links[test]]
        tests[one.fingerprint] = match.tests
        proves[one.fingerprint] = tuple(sorted({link.atom for link in found}))
        broken[one.fingerprint] = tuple(sorted({link.atom for link in found if link.atom in committed}))
    return Proofs(tests, *({name: atoms for name, atoms in table.items() if atoms} for table in (proves, broken)))
