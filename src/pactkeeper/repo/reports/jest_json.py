"""The reports of Jest (`--json`) and Vitest (`--reporter=json`), which share one format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

from pactkeeper.intent.results import Case, Outcome, ResultSet, TestResult, Unclear, head
from pactkeeper.repo.reports.json_text import Fields, JsonText, Member, open_json
from pactkeeper.repo.reports.reading import Report, milliseconds, result_set, without_escapes

FORM: Final = "jest-json"
_OUTCOMES: Final[Mapping[str, Outcome]] = {
    "passed": "passed",
    "failed": "failed",
    "pending": "skipped",
    "skipped": "skipped",
    "todo": "skipped",
    "disabled": "skipped",
}


def is_jest_json(key: str, value: str) -> bool:  # noqa: ARG001 - the table's signature
    """Whether a top-level key is specific to this format."""
    return key in {"testResults", "numTotalTests", "numTotalTestSuites"}


def read_jest_json(report: Report) -> ResultSet:
    """Read every test, and every file that failed as a whole; raise ReportError."""
    source = open_json(report)
    found: list[TestResult | Unclear] = []
    began = None
    for member in source.members(inside=("testResults",)):
        if len(member.place) > 1:
            found += _file(source, member)
        elif member.place == ("startTime",):
            began = _moment(member.value)
    source.reading.finish()
    return replace(result_set(report, FORM, found), began=began)


def _moment(milliseconds: object) -> datetime | None:
    """Return when a run began that says so in milliseconds since 1970; None for anything else."""
    if not isinstance(milliseconds, int) or isinstance(milliseconds, bool):
        return None
    with suppress(OverflowError, OSError, ValueError):  # which of them depends on the system
        return datetime.fromtimestamp(milliseconds / 1000, UTC)
    return None


def _file(source: JsonText, member: Member) -> Iterator[TestResult | Unclear]:
    fields = source.fields(member)
    name = fields.text("name")
    tests = fields.values.get("assertionResults")
    if not isinstance(tests, list):
        fields.note("assertionResults is no list")
        return
    if not tests and fields.text("status", "") == "failed":
        message = head(without_escapes(fields.text("message", "")))
        yield TestResult(Case((), name), "error", None, message)
    for test in tests:
        yield _test(source.fields(member, test), name)


def _test(fields: Fields, file: str) -> TestResult | Unclear:
    line = fields.mapping("location").get("line")
    names = (*fields.texts("ancestorTitles"), fields.text("title"))
    case = Case(names, file, line if isinstance(line, int) and line > 0 else 0)
    said = fields.text("status")
    outcome = _OUTCOMES.get(said)
    if outcome is None:
        return Unclear(case, f"the report gives its status as {said!r}")
    message = next(filter(None, fields.texts("failureMessages")), "")
    spent = milliseconds(fields.number("duration"), 1)
    return TestResult(case, outcome, spent, head(without_escapes(message)))


MOCHA: Final = "mocha-json"
_MOCHA_OUTCOMES: Final[Mapping[str, Outcome]] = {"passes": "passed", "failures": "failed", "pending": "skipped"}


def is_mocha_json(key: str, value: str) -> bool:
    """Whether a top-level key and the start of its value are specific to this format."""
    return key == "stats" and '"suites"' in value


def read_mocha_json(report: Report) -> ResultSet:
    """Read the lists of passed, failed and pending tests; raise ReportError."""
    source = open_json(report)
    results = [
        _result(source.fields(member), _MOCHA_OUTCOMES[str(member.place[0])])
        for member in source.members(inside=tuple(_MOCHA_OUTCOMES))
        if len(member.place) > 1
    ]
    source.reading.finish()
    return ResultSet(report.name, MOCHA, tuple(results))


def _result(fields: Fields, outcome: Outcome) -> TestResult:
    case = Case((fields.text("fullTitle"),), fields.text("file", ""), joined=True)
    message = fields.mapping("err").get("message")
    spent = milliseconds(fields.number("duration"), 1)
    return TestResult(case, outcome, spent, head(without_escapes(str(message or ""))))
