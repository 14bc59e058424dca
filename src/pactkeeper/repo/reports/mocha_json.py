"""The reports of mocha's `json` reporter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pactkeeper.intent.results import Case, Outcome, ResultSet, TestResult, head
from pactkeeper.repo.reports.json_text import Fields, open_json
from pactkeeper.repo.reports.reading import Report, milliseconds, without_escapes

FORM: Final = "mocha-json"
_OUTCOMES: Final[Mapping[str, Outcome]] = {"passes": "passed", "failures": "failed", "pending": "skipped"}


def is_mocha_json(key: str, value: str) -> bool:
    """Whether a top-level key and the start of its value are specific to this format."""
    return key == "stats" and '"suites"' in value


def read_mocha_json(report: Report) -> ResultSet:
    """Read the lists of passed, failed and pending tests; raise ReportError."""
    source = open_json(report)
    results = [
        _result(source.fields(member), _OUTCOMES[str(member.place[0])])
        for member in source.members(inside=tuple(_OUTCOMES))
        if len(member.place) > 1
    ]
    source.reading.finish()
    return ResultSet(report.name, FORM, tuple(results))


def _result(fields: Fields, outcome: Outcome) -> TestResult:
    case = Case((fields.text("fullTitle"),), fields.text("file", ""), joined=True)
    message = fields.mapping("err").get("message")
    spent = milliseconds(fields.number("duration"), 1)
    return TestResult(case, outcome, spent, head(without_escapes(str(message or ""))))
