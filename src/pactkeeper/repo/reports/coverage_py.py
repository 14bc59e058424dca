"""The JSON reports and data files of coverage.py, including which test ran each line.

JSON reports contain contexts if written with `--show-contexts`; a context names a test.

The data file (`.coverage`) says which test ran which lines, but not which lines are code.

The JSON report repeats a file's contexts for each of its functions and classes and can grow to hundreds of times the
size of the data file. Contexts are therefore best read from the data file, and lines from a JSON report without
contexts. The file is untrusted: it is read in memory, limited to its plain tables, and with bounded line numbers.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import Any, Final

from pactkeeper.intent.coverage import Coverage, FileCoverage, FunctionCoverage, TestLines, detailed, spans
from pactkeeper.intent.results import Case
from pactkeeper.repo.reports.json_text import Fields, open_json
from pactkeeper.repo.reports.pytest_json import case_of_node
from pactkeeper.repo.reports.reading import Report, ReportFaults

FORM: Final = "coverage.py"


def is_coverage_py(key: str, value: str) -> bool:
    """Whether a top-level key and the start of its value are specific to this format."""
    return key == "meta" and ('"branch_coverage"' in value or '"version"' in value)


def read_coverage_py(report: Report) -> Coverage:
    """Read every file and, if the report has them, the contexts; raise ReportError."""
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
        if name and isinstance(found, dict)  # the empty name is the code outside of functions
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
    """Yield each line with each test that ran it; lines run outside of a test, as on import, are left out."""
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
    """Return the test that a context names, without a static context or pytest-cov's phase; "" if there is none."""
    parts = [part for part in context.split("|") if part]
    if len(parts) > 1 and parts[-1] in _PHASES:
        parts.pop()
    return parts[-1] if parts else ""


test_in.__test__ = False  # type: ignore[attr-defined]  # keeps pytest from collecting it where a test imports it


def lines_by_test(found: Lines) -> Iterator[TestLines]:
    """Yield what each test ran."""
    for name, files in found.items():
        yield TestLines(_case(name), {path: spans(lines) for path, lines in files.items()})


def _case(name: str) -> Case:
    """Parse a test's name: a node id from pytest-cov, or a dotted name from `dynamic_context = test_function`."""
    if "::" in name:
        return case_of_node(name)
    module, _, function = name.rpartition(".")
    return Case(tuple(part for part in (module, function) if part), joined=True)


DATA_FORM: Final = "coverage.py-data"
MAGIC: Final = b"SQLite format 3\0"
_TABLES: Final = frozenset({"file", "context", "line_bits", "arc"})
_LINES: Final = """
    SELECT file.path, context.context, line_bits.numbits
    FROM line_bits JOIN file ON file.id = line_bits.file_id JOIN context ON context.id = line_bits.context_id
"""
_ARCS: Final = """
    SELECT file.path, context.context, arc.fromno, arc.tono
    FROM arc JOIN file ON file.id = arc.file_id JOIN context ON context.id = arc.context_id
"""
_LAST_LINE: Final = 10_000_000


def read_coverage_data(report: Report) -> Coverage:
    """Read which test ran which lines; `files` is empty, as the file doesn't say what is code. Raise ReportError."""
    reading = ReportFaults(report.name)
    found: Lines = {}
    try:
        with closing(sqlite3.connect(":memory:")) as database:
            database.deserialize(report.data)
            _require_tables(database, reading)
            for path, context, lines in _rows(database):
                test = test_in(context)
                if test:
                    found.setdefault(test, {}).setdefault(path, []).extend(lines)
    except (sqlite3.Error, ValueError, TypeError) as error:
        raise reading.stop(0, f"is not a complete data file of coverage.py: {error}") from error
    return Coverage(report.name, DATA_FORM, {}, tuple(lines_by_test(found)))


def _require_tables(database: sqlite3.Connection, reading: ReportFaults) -> None:
    """Require plain tables: a view or virtual table of the same name could compute anything."""
    rows = database.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'")
    missing = sorted(_TABLES - {name for (name,) in rows})
    if missing:
        raise reading.stop(0, f"is not a data file of coverage.py: it has no table {', '.join(missing)}")


def _rows(database: sqlite3.Connection) -> Iterator[tuple[str, str, list[int]]]:
    for path, context, numbits in database.execute(_LINES):
        if not isinstance(numbits, bytes):
            raise TypeError(f"lines are given as {numbits!r} instead of bits")
        yield str(path), str(context), _lines_in(numbits)
    for path, context, start, end in database.execute(_ARCS):  # negative numbers are entries to and exits from the code
        yield str(path), str(context), [line for line in (int(start), int(end)) if 0 < line <= _LAST_LINE]


def _lines_in(numbits: bytes) -> list[int]:
    """Return the positions of the set bits; the lowest bit of the first byte is line 0."""
    return [place * 8 + bit for place, byte in enumerate(numbits) if byte for bit in range(8) if byte >> bit & 1]
