"""The JSON reports of coverage.py; with `--show-contexts` they say which test ran each line.

The contexts of coverage.py: which test a name stands for, and what each test ran.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pactkeeper.intent.coverage import Coverage, FileCoverage, FunctionCoverage, TestLines, detailed, spans
from pactkeeper.intent.results import Case
from pactkeeper.repo.reports.json_text import Fields, open_json
from pactkeeper.repo.reports.pytest_json import case_of_node
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


Lines = dict[str, dict[str, list[int]]]  # test → path → lines
_PHASES: Final = frozenset({"setup", "run", "call", "teardown"})


def test_in(context: str) -> str:
    """The test in a context: pytest-cov adds the phase behind it, a static context stands before it; empty for none."""
    parts = [part for part in context.split("|") if part]
    if len(parts) > 1 and parts[-1] in _PHASES:
        parts.pop()
    return parts[-1] if parts else ""


test_in.__test__ = False  # type: ignore[attr-defined]  # keeps pytest from collecting it where a test imports it


def lines_by_test(found: Lines) -> Iterator[TestLines]:
    """What each test ran."""
    for name, files in found.items():
        yield TestLines(_case(name), {path: spans(lines) for path, lines in files.items()})


def _case(name: str) -> Case:
    """pytest-cov writes node ids, `dynamic_context = test_function` a dotted name."""
    if "::" in name:
        return case_of_node(name)
    module, _, function = name.rpartition(".")
    return Case(tuple(part for part in (module, function) if part), joined=True)
