"""Reports of test runners, coverage tools and linters: one module per format, detected by content."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeVar

from pactkeeper.errors import ReportError
from pactkeeper.intent.coverage import Coverage
from pactkeeper.intent.results import ResultSet
from pactkeeper.repo.reports import cobertura, coverage_py, istanbul, jest_json, lcov, pytest_json, reading, sarif
from pactkeeper.repo.reports.json_text import open_json
from pactkeeper.repo.reports.reading import Report, ReportFaults, root_of
from pactkeeper.repo.reports.sarif import QualityReport


@dataclass(frozen=True, slots=True)
class Format:
    """One format: its name in messages, and the function that reads it."""

    name: str
    read: Callable[[Report], ResultSet | Coverage | QualityReport]


# An XML format is recognized by its root element, which for some must have one of these attributes.
XML_FORMATS: Final[tuple[tuple[frozenset[str], frozenset[str], Format], ...]] = (
    (reading.ROOTS, frozenset(), Format("JUnit XML", reading.read_junit)),
    (frozenset({cobertura.ROOT}), cobertura.MARKS, Format("Cobertura XML", cobertura.read_cobertura)),
)
# A JSON format is recognized by the first top-level key that one of these accepts with the start of its value.
JSON_FORMATS: Final[tuple[tuple[Callable[[str, str], bool], Format], ...]] = (
    (jest_json.is_jest_json, Format("Jest or Vitest JSON", jest_json.read_jest_json)),
    (pytest_json.is_pytest_json, Format("pytest-json-report", pytest_json.read_pytest_json)),
    (jest_json.is_mocha_json, Format("mocha JSON", jest_json.read_mocha_json)),
    (coverage_py.is_coverage_py, Format("coverage.py JSON", coverage_py.read_coverage_py)),
    (sarif.is_sarif, Format("SARIF", sarif.read_sarif)),
    (istanbul.is_summary, Format("Istanbul summary", istanbul.read_summary)),
    (istanbul.is_istanbul, Format("Istanbul JSON", istanbul.read_istanbul)),
)
LCOV: Final = Format("LCOV", lcov.read_lcov)
DATA: Final = Format("coverage.py data file", coverage_py.read_coverage_data)
RESULTS: Final = "JUnit XML, pytest-json-report, Jest, Vitest and mocha JSON"
COVERAGE: Final = "coverage.py JSON and its data file, Cobertura XML, LCOV and Istanbul JSON"
_Kind = TypeVar("_Kind")
_MARKS: Final[Mapping[bytes, str]] = {b"<": "xml", b"{": "json"}


def read_results(report: Report) -> ResultSet:
    """Read the results of a test run; raise ReportError, including for other kinds of report."""
    return _read(report, ResultSet, f"contains no results; supported are {RESULTS}")


def read_coverage(report: Report) -> Coverage:
    """Read which lines ran; raise ReportError, including for other kinds of report."""
    return _read(report, Coverage, f"contains no lines; supported are {COVERAGE}")


def read_quality(report: Report) -> QualityReport:
    """Read what linters and checkers found; raise ReportError, including for other kinds of report."""
    return _read(report, QualityReport, "contains no quality data; use SARIF")


def _read(report: Report, kind: type[_Kind], otherwise: str) -> _Kind:
    form = detect(report)
    found = form.read(report)
    if isinstance(found, kind):
        return found
    raise ReportFaults(report.name).stop(0, f"is {form.name}, which {otherwise}")


def detect(report: Report) -> Format:
    """Detect a report's format by its content, whatever its name; raise ReportError."""
    if not report.data.strip(b" \t\r\n\0"):
        raise ReportFaults(report.name).stop(
            0, "is empty; the run that should have written it may have been interrupted"
        )
    found = _detected(report)
    if found is None:
        raise ReportFaults(report.name).stop(0, f"is in no known format; known are {RESULTS}, {COVERAGE}, and SARIF")
    return found


def _detected(report: Report) -> Format | None:
    if report.data.startswith(coverage_py.MAGIC):
        return DATA
    if lcov.is_lcov(report.data):
        return LCOV
    kind = _MARKS.get(_first_sign(report.data))
    if kind == "xml":
        return _xml_format(report)
    return _json_format(report) if kind == "json" else None


def _first_sign(data: bytes) -> bytes:
    """Return the first byte that isn't part of a byte order mark, whitespace, or half of a UTF-16 character."""
    return data[:256].lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n\0")[:1]


def _xml_format(report: Report) -> Format | None:
    name, attributes = root_of(report)
    for roots, marks, form in XML_FORMATS:
        if name in roots and (not marks or marks & set(attributes)):
            return form
    return None


def _json_format(report: Report) -> Format | None:
    for key, value in open_json(report).keys():  # noqa: SIM118 - a method of JsonText, which isn't a mapping
        for recognises, form in JSON_FORMATS:
            if recognises(key, value):
                return form
    return None


__all__ = [
    "COVERAGE", "RESULTS", "Format", "Report", "ReportError", "detect", "read_coverage", "read_quality",
    "read_results"
]  # fmt: skip
