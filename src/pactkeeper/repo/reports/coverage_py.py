"""The JSON reports of coverage.py; with `--show-contexts` they say which test ran each line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pactkeeper.intent.coverage import Coverage, FileCoverage, FunctionCoverage, detailed
from pactkeeper.repo.reports.contexts import Lines, lines_by_test, test_in
from pactkeeper.repo.reports.json_text import Fields, open_json
from pactkeeper.repo.reports.reading import Report

FORM: Final = "coverage.py"


def is_coverage_py(key: str, value: str) -> bool:
    """Whether an outermost key with the beginning of its value is one that this format alone has."""
    return key == "meta" and ('"branch_coverage"' in value or '"version"' in value)


def read_coverage_py(report: Report) -> Coverage:
    """Read every file and, where the report has them, the contexts; raises ReportError."""
    source = open_json(report)
    files: dict[str, FileCoverage] = {}
    contexts: Lines = {}
    for member in source.members(inside=("files",)):
        if len(member.place) > 1:
            path = str(member.place[1])
            fields = source.fields(member)
            files[path] = _file(fields)
            for line, name in _contexts(fields):
                contexts.setdefault(name, {}).setdefault(path, []).append(line)
    source.reading.finish()
    return Coverage(report.name, FORM, files, tuple(lines_by_test(contexts)))


def _file(fields: Fields) -> FileCoverage:
    hits = dict.fromkeys(fields.lines("missing_lines"), 0) | dict.fromkeys(fields.lines("executed_lines"), 1)
    functions = [
        _function(name, found)
        for name, found in fields.mapping("functions").items()
        if name and isinstance(found, dict)  # the empty name stands for the code outside of functions
    ]
    return detailed(hits, functions)


def _function(name: str, found: Mapping[str, Any]) -> FunctionCoverage:
    executed, missing = _numbers(found, "executed_lines"), _numbers(found, "missing_lines")
    line = found.get("start_line")
    first = line if isinstance(line, int) else min((*executed, *missing), default=0)
    return FunctionCoverage(name, first, max((*executed, *missing), default=0), bool(executed) or not missing)


def _numbers(found: Mapping[str, Any], key: str) -> list[int]:
    lines = found.get(key)
    return [line for line in lines if isinstance(line, int)] if isinstance(lines, list) else []


def _contexts(fields: Fields) -> Iterator[tuple[int, str]]:
    """Each line with each test that ran it; what ran without a test, as on import, is left out."""
    for line, names in fields.mapping("contexts").items():
        if not line.isdigit() or not isinstance(names, list):
            fields.note(f"contexts holds {line!r} where a line with a list of texts is expected")
            continue
        for name in dict.fromkeys(test_in(str(name)) for name in names):
            if name:
                yield int(line), name
