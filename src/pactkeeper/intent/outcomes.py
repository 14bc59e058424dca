"""Test outcomes from reports: the cases of each test combined, and every case that matches no known test."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pactkeeper.intent.results import Bound, Files, Outcome, ResultSet, TestResult, bind, worst
from pactkeeper.intent.tests import Test


@dataclass(frozen=True, slots=True)
class TestVerdict:
    """One test's result: the worst outcome of its cases, their number, and the message of a failing one."""

    __test__ = False

    test: str
    outcome: Outcome
    cases: int
    milliseconds: int
    message: str = ""


@dataclass(frozen=True, slots=True)
class Unmatched:
    """A case of a report that matches no known test, and why."""

    source: str
    case: str
    outcome: Outcome | None
    reason: str
    message: str = ""


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Verdicts by test id, sorted, and unmatched cases in the order of the reports, failures first."""

    verdicts: Mapping[str, TestVerdict]
    unmatched: tuple[Unmatched, ...]


def outcomes_of(reports: Iterable[ResultSet], tests: Sequence[Test], files: Files) -> Outcomes:
    """Combine all reports of one run; a test that several of them name gets the worst of its outcomes."""
    found: dict[str, list[TestResult]] = {}
    unmatched: list[Unmatched] = []
    for report in reports:
        bound = bind([result.case for result in report.results], tests, files)
        undecided = _undecided(report.results, bound)
        for result, one in zip(report.results, bound, strict=True):
            reason = undecided.get(one.tests, one.reason)
            if reason:
                unmatched.append(Unmatched(report.source, str(result.case), result.outcome, reason, result.message))
            for test in () if reason else one.tests:
                found.setdefault(test, []).append(result)
        unmatched += [Unmatched(report.source, str(one.case), None, one.reason) for one in report.unclear]
    verdicts = {test: _verdict(test, results) for test, results in sorted(found.items())}
    return Outcomes(verdicts, tuple(sorted(unmatched, key=lambda one: one.outcome not in {"failed", "error"})))


def _undecided(results: Sequence[TestResult], bound: Sequence[Bound]) -> Mapping[tuple[str, ...], str]:
    """Return tests with the same name that a report can't distinguish, if its cases differ or are too few for all."""
    shared: dict[tuple[str, ...], list[Outcome]] = {}
    for result, one in zip(results, bound, strict=True):
        if len(one.tests) > 1:
            shared.setdefault(one.tests, []).append(result.outcome)
    return {
        tests: f"{len(tests)} tests have this name, and the report does not say which one is meant"
        for tests, outcomes in shared.items()
        if len(set(outcomes)) > 1 or len(outcomes) < len(tests)
    }


def _verdict(test: str, results: Sequence[TestResult]) -> TestVerdict:
    outcome = worst(result.outcome for result in results)
    message = next((result.message for result in results if result.outcome == outcome), "")
    spent = sum(result.milliseconds or 0 for result in results)
    return TestVerdict(test, outcome, len(results), spent, message)
