"""Istanbul's JSON: `coverage-final.json` with every statement, and `coverage-summary.json` with counts only."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from pactkeeper.intent.coverage import Coverage, FileCoverage, FunctionCoverage, detailed
from pactkeeper.repo.reports.json_text import Fields, JsonText, Member, open_json
from pactkeeper.repo.reports.lcov import Hits
from pactkeeper.repo.reports.reading import Report

FORM: Final = "istanbul"
SUMMARY: Final = "istanbul-summary"
_DETAILS: Final = re.compile(r'\{\s*"(path|statementMap|fnMap|branchMap|data)"\s*:')
_COUNTS: Final = re.compile(r'\{\s*"(lines|statements|functions|branches)"\s*:\s*\{\s*"total"\s*:')


def is_istanbul(key: str, value: str) -> bool:  # noqa: ARG001 - the table's signature
    """Whether the start of a top-level value is specific to this format."""
    return _DETAILS.match(value) is not None


def is_summary(key: str, value: str) -> bool:  # noqa: ARG001 - the table's signature
    """Whether the start of a top-level value is specific to summaries."""
    return _COUNTS.match(value) is not None


def read_istanbul(report: Report) -> Coverage:
    """Read the statements and functions of every file; raise ReportError."""
    source = open_json(report)
    files = {str(member.place[0]): _file(source, member) for member in source.members()}
    source.reading.finish()
    return Coverage(report.name, FORM, files)


def read_summary(report: Report) -> Coverage:
    """Read the counts of every file, which don't say which lines they refer to; raise ReportError."""
    source = open_json(report)
    files: dict[str, FileCoverage] = {}
    for member in source.members():
        if member.place[0] != "total":
            lines = source.fields(member, source.fields(member).mapping("lines"))
            files[str(member.place[0])] = FileCoverage((), (), lines.whole("total"), lines.whole("covered"))
    source.reading.finish()
    return Coverage(report.name, SUMMARY, files)


def _file(source: JsonText, member: Member) -> FileCoverage:
    fields = source.fields(member)
    inner = fields.mapping("data")
    fields = source.fields(member, inner) if inner else fields
    hits = Hits()
    counts = fields.mapping("s")
    for key, place in fields.mapping("statementMap").items():
        line = _line(place, "start")
        if line is None:
            fields.note(f"statement {key} does not say where it starts")
        else:
            # A line's count is that of its most executed statement.
            hits.lines[line] = max(hits.lines.get(line, 0), _count(fields, counts, key))
    return detailed(hits.lines, _functions(fields))


def _functions(fields: Fields) -> Iterator[FunctionCoverage]:
    counts = fields.mapping("f")
    for key, said in fields.mapping("fnMap").items():
        if not isinstance(said, dict):
            fields.note(f"function {key} is not an object")
            continue
        line = _line(said.get("decl"), "start") or _line(said.get("loc"), "start") or 0
        end = _line(said.get("loc"), "end") or 0
        yield FunctionCoverage(str(said.get("name", "")), line, end, _count(fields, counts, key) > 0)


def _line(place: object, edge: str) -> int | None:
    point = place.get(edge) if isinstance(place, dict) else None
    line = point.get("line") if isinstance(point, dict) else None
    return line if isinstance(line, int) else None


def _count(fields: Fields, counts: Mapping[str, Any], key: str) -> int:
    count = counts.get(key)
    if isinstance(count, int):
        return count
    fields.note(f"how often {key} ran is {count!r}, not a whole number")
    return 0
