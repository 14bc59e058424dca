"""The data file of coverage.py (`.coverage`): which test ran which lines, without saying which lines are code.

The JSON report repeats the contexts of a file for each of its functions and classes and grows to hundreds of times the
size of this file, so contexts are best read from here, and lines from a JSON report without contexts. The file comes
from elsewhere: it is read in memory, only its plain tables, and only so far.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Final

from pactkeeper.intent.coverage import Coverage
from pactkeeper.repo.reports.coverage_py import Lines, lines_by_test, test_in
from pactkeeper.repo.reports.reading import Report, ReportFaults

FORM: Final = "coverage.py-data"
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
    """Read which test ran which lines; `files` is empty, for the file does not say what is code. Raises ReportError."""
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
        raise reading.stop(0, f"is no whole data file of coverage.py: {error}") from error
    return Coverage(report.name, FORM, {}, tuple(lines_by_test(found)))


def _require_tables(database: sqlite3.Connection, reading: ReportFaults) -> None:
    """Plain tables only: a view or virtual table of the same name could compute anything."""
    rows = database.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'")
    missing = sorted(_TABLES - {name for (name,) in rows})
    if missing:
        raise reading.stop(0, f"is no data file of coverage.py: it has no table {', '.join(missing)}")


def _rows(database: sqlite3.Connection) -> Iterator[tuple[str, str, list[int]]]:
    for path, context, numbits in database.execute(_LINES):
        if not isinstance(numbits, bytes):
            raise TypeError(f"lines are given as {numbits!r} instead of bits")
        yield str(path), str(context), _lines_in(numbits)
    for path, context, start, end in database.execute(_ARCS):  # negative numbers are ways in and out of the code
        yield str(path), str(context), [line for line in (int(start), int(end)) if 0 < line <= _LAST_LINE]


def _lines_in(numbits: bytes) -> list[int]:
    """The numbers of the bits that are set, the lowest bit of the first byte being line 0."""
    return [place * 8 + bit for place, byte in enumerate(numbits) if byte for bit in range(8) if byte >> bit & 1]
