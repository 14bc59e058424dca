"""The SQLite file that documents are indexed in: opening it, its tables, and what its failures mean."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal

from pactkeeper.errors import BusyError, PactkeeperError, SourceError

LAYOUT: Final = 1  # raised with every change of the tables; another layout is thrown away
_TABLES: Final = (
    "DROP TABLE IF EXISTS files",
    "DROP TABLE IF EXISTS places",
    "DROP TABLE IF EXISTS words",
    "DROP TABLE IF EXISTS notes",
    "CREATE TABLE files (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, blob TEXT NOT NULL, gap TEXT NOT NULL)",
    "CREATE TABLE places (id INTEGER PRIMARY KEY, file INTEGER, line INTEGER, last INTEGER, trail TEXT, code INTEGER)",
    "CREATE INDEX places_of_file ON places (file)",
    "CREATE VIRTUAL TABLE words USING fts5(headings, body, tokenize = 'porter unicode61 remove_diacritics 2')",
    "CREATE TABLE notes (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    f"PRAGMA user_version = {LAYOUT}",
)
Failure = Literal["module", "busy", "unwritable", "damaged"]
_UNWRITABLE: Final = frozenset(
    {sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_IOERR}
)


def kind_of(failure: sqlite3.Error) -> Failure:
    """What a failure means: no FTS5 in this SQLite, another process, no room or permission, or a broken file."""
    if "no such module: fts5" in str(failure):
        return "module"
    code = getattr(failure, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if code in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
        return "busy"
    return "unwritable" if code in _UNWRITABLE else "damaged"


def error_of(place: Path, failure: sqlite3.Error) -> PactkeeperError:
    """The error that a failure is for whoever asked to search."""
    kind = kind_of(failure)
    if kind == "module":
        return SourceError("documents cannot be searched: this Python's SQLite has no FTS5 module; use another Python")
    if kind == "busy":
        return BusyError(f"another process is indexing documents in {str(place)!r}; try again")
    return SourceError(
        f"the index of documents {str(place)!r} cannot be searched: {failure}; delete it and run again, "
        "it is built anew"
    )


def open_database(place: Path, *, notice: Callable[[str], None], wait: float) -> sqlite3.Connection:
    """Open the file; a damaged one is made anew and one that cannot be written replaced in memory, with a notice.

    Another process's write is waited for, `wait` seconds at most.
    """
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        return _connected(place, wait)
    except OSError as failure:
        return in_memory(place, failure, notice=notice)
    except sqlite3.Error as failure:
        kind = kind_of(failure)
        if kind == "unwritable":
            return in_memory(place, failure, notice=notice)
        if kind == "damaged":
            return made_anew(place, failure, notice=notice, wait=wait)
        raise error_of(place, failure) from failure


def made_anew(place: Path, failure: sqlite3.Error, *, notice: Callable[[str], None], wait: float) -> sqlite3.Connection:
    """Delete a damaged file and open an empty one."""
    notice(f"the index of documents {place} was damaged and is built again")
    try:
        for name in (place, Path(f"{place}-wal"), Path(f"{place}-shm")):
            name.unlink(missing_ok=True)
        return _connected(place, wait)
    except (OSError, sqlite3.Error):
        raise error_of(place, failure) from failure


def in_memory(place: Path, failure: Exception, *, notice: Callable[[str], None]) -> sqlite3.Connection:
    """An empty database that is gone with the process."""
    notice(f"working without the index of documents {place}: {failure}; make it writable or delete it")
    try:
        return _connected(":memory:")
    except sqlite3.Error as second:
        raise error_of(place, second) from second


def _connected(place: Path | str, wait: float = 0) -> sqlite3.Connection:
    connection = sqlite3.connect(place, timeout=wait, isolation_level=None)
    try:
        connection.execute("PRAGMA synchronous = OFF")  # a power failure may damage it; it is then built again
        if _layout(connection) != LAYOUT:
            _lay_out(connection)
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _layout(connection: sqlite3.Connection) -> int:
    (layout,) = connection.execute("PRAGMA user_version").fetchone()
    return int(layout)


def _lay_out(connection: sqlite3.Connection) -> None:
    """Make the tables in one transaction, unless another process did so in the meantime."""
    with suppress(sqlite3.OperationalError):  # another process may be switching it right now
        connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("BEGIN IMMEDIATE")
    with connection:
        for statement in _TABLES if _layout(connection) != LAYOUT else ():
            connection.execute(statement)
