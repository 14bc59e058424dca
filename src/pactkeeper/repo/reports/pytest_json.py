"""The reports of pytest-json-report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pactkeeper.intent.results import Case, Outcome, ResultSet, TestResult, Unclear, head
from pactkeeper.repo.reports.json_text import Fields, open_json
from pactkeeper.repo.reports.reading import Report, milliseconds, result_set, without_escapes

FORM: Final = "pytest-json"
_OUTCOMES: Final[Mapping[str, Outcome]] = {
    "passed": "passed",
    "failed": "failed",
    "error": "error",
    "skipped": "skipped",
    "xfailed": "skipped",
    "xpassed": "passed",
}
_PHASES: Final = ("setup", "call", "teardown")


def is_pytest_json(key: str, value: str) -> bool:
    """Whether a top-level key and the start of its value are specific to this format."""
    return key in {"exitcode", "collectors"} or (key == "tests" and '"nodeid"' in value)


def read_pytest_json(report: Report) -> ResultSet:
    """Read every test, and every file that could not be collected; raise ReportError."""
    source = open_json(report)
    found = [
        _test(source.fields(member)) if member.place[0] == "tests" else _collector(source.fields(member))
        for member in source.members(inside=("tests", "collectors"))
        if len(member.place) > 1
    ]
    source.reading.finish()
    return result_set(report, FORM, found)


def _test(fields: Fields) -> TestResult | Unclear:
    case = case_of_node(fields.text("nodeid"), fields.whole("lineno", -1) + 1)
    said = fields.text("outcome")
    outcome = _OUTCOMES.get(said)
    if outcome is None:  # with subtests, the last subtest's outcome replaces that of the test
        return Unclear(case, f"the report gives its outcome as {said!r}")
    phases = [fields.mapping(phase) for phase in _PHASES]
    spent = [milliseconds(str(phase.get("duration", "")), 1_000_000) for phase in phases]
    total = sum(one for one in spent if one is not None)
    return TestResult(case, outcome, round(total / 1000), head(without_escapes(_message(phases))))


def _message(phases: list[Mapping[str, Any]]) -> str:
    for phase in phases:
        crash = phase.get("crash")
        if isinstance(crash, dict) and isinstance(crash.get("message"), str):
            return str(crash["message"])
        if isinstance(phase.get("longrepr"), str):
            return str(phase["longrepr"])
    return ""


def _collector(fields: Fields) -> TestResult | None:
    if fields.text("outcome") not in {"failed", "error"}:
        return None
    return TestResult(Case((), fields.text("nodeid")), "error", None, head(fields.text("longrepr", "")))


def case_of_node(node: str, line: int = 0) -> Case:
    """Split a node id such as `tests/a.py::TestX::test_y[a::b]`; what follows the first bracket is a parameter set."""
    file, _, rest = node.partition("::")
    name, bracket, parameters = rest.partition("[")
    *suites, last = name.split("::")
    return Case((*suites, last + bracket + parameters) if rest else (), file, line)
