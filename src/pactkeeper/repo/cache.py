"""A cache of derived values under git's common directory; losing it costs time but never changes a result.

Every entry carries its own checksum, and one that fails it is ignored. A cache that can't be used is reported once
through `notice`, and the command goes on without it.
"""

from __future__ import annotations

import os
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final, Protocol, Self, TypeVar

from pactkeeper import __version__
from pactkeeper.repo.snapshot import Snapshot

_LAYOUT: Final = 1  # bumped with every change to the tables; a file with another layout is discarded
_GROUP: Final = 500  # keys in one query; older SQLite allows 999 values
_DAY: Final = 86_400
_TOUCH_AFTER: Final = 7  # days before a used entry's timestamp is refreshed
_BUSY_MILLISECONDS: Final = 1_000
_CHECKSUM_BYTES: Final = 4
_TABLES: Final = (
    "DROP TABLE IF EXISTS entries",
    "DROP TABLE IF EXISTS notes",
    "CREATE TABLE entries (space TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL, used INTEGER NOT NULL)",
    "CREATE UNIQUE INDEX one_value ON entries (space, key)",
    "CREATE TABLE notes (name TEXT PRIMARY KEY, day INTEGER NOT NULL)",
    f"PRAGMA user_version = {_LAYOUT}",
)


@cache
def program_stamp() -> str:
    """Return a stamp of the program's code: its version and newest file time. Cached verdicts carry it."""
    newest = 0
    for folder, _, names in os.walk(Path(__file__).parents[1]):
        for name in names:
            if name.endswith(".py"):
                newest = max(newest, os.stat(f"{folder}/{name}").st_mtime_ns)  # noqa: PTH116 - all files, at every command
    return f"{__version__} {newest}"


class Cache(Protocol):
    """A key-value store divided into spaces; a space's name includes the version of what it stores."""

    def get_many(self, space: str, keys: Sequence[str]) -> Mapping[str, bytes]:
        """Return the values of the keys that are present and intact."""

    def put_many(self, space: str, items: Iterable[tuple[str, bytes]], *, keep: int | None = None) -> None:
        """Store values; with `keep`, drop all but the newest `keep` entries of the space."""


class NoCache:
    """A cache that stores nothing, for a repository whose cache is unwanted or unusable."""

    def get_many(self, space: str, keys: Sequence[str]) -> Mapping[str, bytes]:  # noqa: ARG002 - the port's shape
        """Return an empty mapping."""
        return {}

    def put_many(self, space: str, items: Iterable[tuple[str, bytes]], *, keep: int | None = None) -> None:
        """Discard the values."""


class FileCache:
    """A cache in one SQLite file, safe for several processes at once.

    `clock` returns seconds since the epoch and only affects pruning. `max_age` is in days; `max_bytes` bounds the total
    size of the values.
    """

    def __init__(
        self,
        folder: Path,
        *,
        notice: Callable[[str], None],
        clock: Callable[[], float] = time.time,
        max_age: int = 30,
        max_bytes: int = 512 << 20,
    ) -> None:
        self.path = folder / "cache.sqlite"
        self._notice = notice
        self._today = int(clock() // _DAY)
        self._max_age = max_age
        self._max_bytes = max_bytes
        self._connection: sqlite3.Connection | None = None
        self._asked = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def get_many(self, space: str, keys: Sequence[str]) -> Mapping[str, bytes]:
        """Return the values of the keys that are present and intact."""
        self._open()
        if self._connection is None:
            return {}
        found: dict[str, bytes] = {}
        stale: list[str] = []
        try:
            for start in range(0, len(keys), _GROUP):
                self._read_group(space, keys[start : start + _GROUP], found=found, stale=stale)
            self._touch(space, stale)
        except sqlite3.Error as failure:
            self._give_up(failure)
        return found

    def put_many(self, space: str, items: Iterable[tuple[str, bytes]], *, keep: int | None = None) -> None:
        """Store values in one transaction; with `keep`, drop all but the newest `keep` entries of the space."""
        self._open()
        if self._connection is None:
            return
        rows = ((space, key, _checksum(space, key, value) + value, self._today) for key, value in items)
        try:
            with self._connection:
                self._connection.executemany("INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?)", rows)
                if keep is not None:
                    self._connection.execute(_KEEP_NEWEST, {"space": space, "keep": keep})
        except sqlite3.Error as failure:
            self._give_up(failure)

    def close(self) -> None:
        """Prune at most once a day, then close. Closing twice is allowed."""
        if self._connection is None:
            return
        try:
            self._prune()
        except sqlite3.Error as failure:
            self._give_up(failure)
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _open(self) -> None:
        """Open the file on first use, since many commands and requests never need it."""
        if self._asked:
            return
        self._asked = True
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._connect()
        except sqlite3.DatabaseError as failure:
            if not _is_damage(failure):
                self._give_up(failure)
                return
            self._start_over()
        except OSError as failure:
            self._give_up(failure)

    def _connect(self) -> None:
        connection = sqlite3.connect(self.path, timeout=_BUSY_MILLISECONDS / 1000)
        self._connection = connection
        lay_out(connection, _TABLES, layout=_LAYOUT)

    def _start_over(self) -> None:
        self._notice(f"the cache {self.path} was damaged and is being rebuilt")
        self._disconnect()
        try:
            remove_database(self.path)
            self._connect()
        except (OSError, sqlite3.Error) as failure:
            self._give_up(failure)

    def _give_up(self, failure: Exception) -> None:
        self._disconnect()
        damaged = _is_damage(failure)
        if damaged:
            with suppress(OSError):
                remove_database(self.path)
        then = "it will be rebuilt next time" if damaged else "make it writable or delete it"
        self._notice(f"working without the cache {self.path}: {failure}; {then}")

    def _disconnect(self) -> None:
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None

    def _read_group(self, space: str, keys: Sequence[str], *, found: dict[str, bytes], stale: list[str]) -> None:
        if self._connection is None:
            return
        marks = ",".join("?" * len(keys))
        query = f"SELECT key, value, used FROM entries WHERE space = ? AND key IN ({marks})"  # noqa: S608 - marks only
        for key, sealed, used in self._connection.execute(query, (space, *keys)):
            value = _opened(space, key, sealed)
            if value is not None:
                found[key] = value
                if self._today - used > _TOUCH_AFTER:
                    stale.append(key)

    def _touch(self, space: str, keys: Sequence[str]) -> None:
        if keys and self._connection is not None:
            with self._connection:
                rows = ((self._today, space, key) for key in keys)
                self._connection.executemany("UPDATE entries SET used = ? WHERE space = ? AND key = ?", rows)

    def _prune(self) -> None:
        connection = self._connection
        if connection is None:
            return
        row = connection.execute("SELECT day FROM notes WHERE name = 'pruned'").fetchone()
        if row is not None and row[0] == self._today:
            return
        with connection:
            connection.execute("INSERT OR REPLACE INTO notes VALUES ('pruned', ?)", (self._today,))
            connection.execute("DELETE FROM entries WHERE used < ?", (self._today - self._max_age,))
            connection.execute(_WITHIN_SIZE, {"bytes": self._max_bytes})


_KEEP_NEWEST: Final = """
DELETE FROM entries WHERE space = :space AND rowid NOT IN (
  SELECT rowid FROM entries WHERE space = :space ORDER BY rowid DESC LIMIT :keep
)
"""
_WITHIN_SIZE: Final = """
DELETE FROM entries WHERE rowid IN (
  SELECT rowid FROM (
    SELECT rowid, SUM(LENGTH(value)) OVER (ORDER BY used DESC, rowid DESC) AS total FROM entries
  ) WHERE total > :bytes
)
"""


def _layout(connection: sqlite3.Connection) -> int:
    (layout,) = connection.execute("PRAGMA user_version").fetchone()
    return int(layout)


def lay_out(connection: sqlite3.Connection, tables: Sequence[str], *, layout: int) -> None:
    """Create the tables in one transaction unless they are there in this layout, or another process was faster."""
    connection.execute("PRAGMA synchronous = OFF")  # a power failure may damage the file; it is then rebuilt
    if _layout(connection) == layout:
        return
    with suppress(sqlite3.OperationalError):  # another process may be switching it at the same moment
        connection.execute("PRAGMA journal_mode = WAL")
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        for statement in tables if _layout(connection) != layout else ():
            connection.execute(statement)


def _opened(space: str, key: str, sealed: object) -> bytes | None:
    """Return the value if it is intact and was stored under this key; a damaged entry counts as missing."""
    if not isinstance(sealed, bytes):
        return None
    value = sealed[_CHECKSUM_BYTES:]
    return value if sealed[:_CHECKSUM_BYTES] == _checksum(space, key, value) else None


def _checksum(space: str, key: str, value: bytes) -> bytes:
    start = zlib.crc32(f"{space}\0{key}".encode())
    return zlib.crc32(value, start).to_bytes(_CHECKSUM_BYTES, "big")


def _is_damage(failure: Exception) -> bool:
    """Whether the file itself is corrupt; SQLite raises its base error class for nothing else."""
    codes = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
    return isinstance(failure, sqlite3.DatabaseError) and getattr(failure, "sqlite_errorcode", None) in codes


def remove_database(path: Path) -> None:
    """Delete a SQLite file with the files that it keeps beside it."""
    for name in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
        with suppress(FileNotFoundError):
            os.unlink(name)  # noqa: PTH108 - says what it does to such a file


Reads = tuple[tuple[str, str], ...]


class Result(Protocol):
    """A dataclass of plain values; `reads` are the files it depends on besides those its key names, with identities."""

    @property
    def reads(self) -> Reads:
        """Path and `Snapshot.identity` of every file that was read."""


Shape = TypeVar("Shape", bound=Result)


def reads_of(snapshot: Snapshot, paths: Iterable[str]) -> Reads:
    """Return the paths with their identities in a snapshot."""
    return tuple((path, snapshot.identity(path)) for path in sorted(paths))


def recall(
    cache: Cache, snapshot: Snapshot, *, space: str, keys: Sequence[str], shape: type[Shape]
) -> dict[str, Shape]:
    """Return the results of the keys that are still valid; the keys must cover the shape's fields."""
    kept = cache.get_many(space, keys)
    if not kept:
        return {}
    import msgspec  # noqa: PLC0415 - only where there is something to decode

    decode = msgspec.msgpack.Decoder(shape).decode
    results = {key: decode(value) for key, value in kept.items()}
    return {
        key: result
        for key, result in results.items()
        if all(snapshot.identity(path) == seen for path, seen in result.reads)
    }


def store(cache: Cache, results: Iterable[tuple[str, Result]], *, space: str, keep: int) -> None:
    """Store results by key; only the newest `keep` of the whole space remain."""
    import msgspec  # noqa: PLC0415 - only where there is something to encode

    encode = msgspec.msgpack.Encoder().encode
    cache.put_many(space, [(key, encode(result)) for key, result in results], keep=keep)
