"""The full-text index of documents, which always reflects exactly one snapshot.

Ranks depend on all indexed text, so leftovers of another snapshot would change them. Before a search the index is
therefore brought to the snapshot being searched, which costs one comparison if nothing changed. Losing the file only
costs time.

An excerpt is the part of a section shown for a search: whole lines around the matches, joined into one.

Search terms become an FTS5 query in which words are data and never syntax.

The index is a SQLite file; this module also opens it, defines its tables, and interprets its errors.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, Self

from pactkeeper.errors import BusyError, PactkeeperError, SourceError
from pactkeeper.intent.context import STOP
from pactkeeper.intent.tests import Gap
from pactkeeper.repo.cache import lay_out, remove_database
from pactkeeper.repo.docs.sections import DocSection

START, END = "\x02", "\x03"  # around every match
_LENGTH: Final = 260  # characters
_BEFORE: Final = 60  # characters kept before the first match of a long line
_MATCH: Final = re.compile(f"{START}([^{START}{END}]*+){END}")
_MARKS: Final = re.compile(f"[{START}{END}]")
_LEADING: Final = re.compile(r"^[\s#>*=~^\-]+|^\.\.\s")


def excerpt_of(marked: str) -> str:
    """Return the stretch of lines, starting at a match, with the most distinct matches; the first one on a tie."""
    lines = [line for line in marked.splitlines() if _MARKS.sub("", line).strip()]
    starts = [at for at, line in enumerate(lines) if START in line]
    start = max(starts, key=lambda at: (len(matches("\n".join(_stretch(lines, at)))), -at), default=0)
    while start and len(_stretch(lines, start - 1)) == len(lines) - start + 1:
        start -= 1  # there is room for preceding lines, as the text ends here
    stretch = _stretch(lines, start)
    text = _LEADING.sub("", " ".join(" ".join(stretch).split()))
    first = max(text.find(START), 0)
    skipped = text.rfind(" ", 0, first - _BEFORE) + 1 if first > _LENGTH - _BEFORE else 0
    shown = _MARKS.sub("", text[skipped:])
    before = "… " if start or skipped else ""
    cut = len(lines) > start + len(stretch) or len(shown) > _LENGTH
    return f"{before}{shown[:_LENGTH].rstrip()}{' …' if cut else ''}"


def _stretch(lines: Sequence[str], start: int) -> Sequence[str]:
    """Return as many lines from `start` as fit an excerpt, at least one."""
    size, end = 0, start
    while end < len(lines) and (end == start or size + len(lines[end]) <= _LENGTH):
        size += len(lines[end]) + 1
        end += 1
    return lines[start:end]


def matches(marked: str) -> frozenset[str]:
    """Return the distinct matching terms as written in the text; inflections of a word count separately."""
    return frozenset(term_of(found) for found in _MATCH.findall(marked))


_WORD: Final = re.compile(r"[^\W_]+")


def searchable(words: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the terms to search for and the dropped words: stop words, and those without letters or digits.

    A term is one word or, if written as one piece (`retry_times`), several adjacent ones.
    """
    kept: dict[str, None] = {}
    dropped: dict[str, None] = {}
    for written in (piece for word in words for piece in word.split()):
        term = term_of(written)
        if not term or term in STOP:
            dropped[written] = None
        else:
            kept[term] = None
    return tuple(kept), tuple(dropped)


def term_of(written: str) -> str:
    """Return the words of a text in lower case, separated by spaces."""
    return " ".join(_WORD.findall(written)).lower()


def every(terms: Sequence[str]) -> str:
    """Build a query for sections that contain all terms."""
    return " AND ".join(map(_quoted, terms))


def some(terms: Sequence[str]) -> str:
    """Build a query for sections that contain any of the terms."""
    return " OR ".join(map(_quoted, terms))


def _quoted(term: str) -> str:
    return f'"{term}"'


_ATTEMPTS: Final = 5
_JOIN: Final = "\x1f"  # between headings
_OWN_MARKS: Final = str.maketrans({_JOIN: " ", START: " ", END: " "})  # replaced by spaces in documents
_SEARCH: Final = (  # a word in a heading counts four times as much as one in the text
    "SELECT rowid, rank FROM words WHERE words MATCH ? AND rank MATCH 'bm25(4.0, 1.0)' ORDER BY rank"
)
_PLACE: Final = (
    "SELECT files.path, line, last, trail, code FROM places JOIN files ON files.id = places.file WHERE places.id = ?"
)
_ADD_FILE: Final = "INSERT INTO files (path, blob, gap) VALUES (?, ?, ?)"
_ADD_PLACE: Final = "INSERT INTO places (id, file, line, last, trail, code) VALUES (?, ?, ?, ?, ?, ?)"
_ADD_WORDS: Final = "INSERT INTO words (rowid, headings, body) VALUES (?, ?, ?)"
_COUNT: Final = "SELECT count(*) FROM words WHERE words MATCH ?"
_MARKED: Final = (
    "SELECT highlight(words, 0, :start, :end), highlight(words, 1, :start, :end) FROM words"
    " WHERE words MATCH :query AND rowid = :row"
)


@dataclass(frozen=True, slots=True)
class Document:
    """A file with its sections, or with the reason in `gap` why it has none."""

    path: str
    sections: Iterable[DocSection]
    gap: str = ""


Read = Callable[[Sequence[str]], Iterable[Document]]


@dataclass(frozen=True, slots=True)
class Hit:
    """A matching section; a smaller `rank` is better, `row` identifies it in the index."""

    path: str
    line: int
    last: int
    trail: tuple[str, ...]
    code: bool
    rank: float
    row: int


class Index:
    """The index in one file; a file that can't be written is replaced by an in-memory index, with a notice.

    `wait` is how many seconds to wait for another process that is indexing.
    """

    def __init__(self, place: Path, *, notice: Callable[[str], None], wait: float = 20.0) -> None:
        self._place = place
        self._notice = notice
        self._wait = wait
        self._connection = open_database(place, notice=notice, wait=wait)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file. Closing twice is allowed."""
        self._connection.close()

    def show(self, stamp: str, wanted: Mapping[str, str], read: Read) -> int:
        """Make the index reflect the files `wanted` (blob by path), and return how many were read for it.

        `stamp` names that state; `read` returns the sections of files. Searches then see this state, whatever other
        processes do. Raises BusyError if another process keeps changing the index.
        """
        try:
            return self._show(stamp, wanted, read)
        except sqlite3.Error as failure:
            self._connection.close()
            kind = kind_of(failure)
            if kind == "unwritable":
                self._connection = in_memory(self._place, failure, notice=self._notice)
            elif kind == "damaged":
                self._connection = made_anew(self._place, failure, notice=self._notice, wait=self._wait)
            else:
                raise error_of(self._place, failure) from failure
        try:
            return self._show(stamp, wanted, read)
        except sqlite3.Error as failure:
            raise error_of(self._place, failure) from failure

    def gaps(self) -> tuple[Gap, ...]:
        """Return the files of the current state that could not be read, sorted."""
        try:
            found = self._connection.execute("SELECT path, gap FROM files WHERE gap != '' ORDER BY path").fetchall()
        except sqlite3.Error as failure:
            raise error_of(self._place, failure) from failure
        return tuple(Gap(path, reason) for path, reason in found)

    def hits(self, query: str) -> Iterator[Hit]:
        """Yield every section that matches an FTS5 query, best first; ties are ordered by path and line."""
        try:
            alike: list[Hit] = []
            for row, rank in self._connection.execute(_SEARCH, (query,)):
                if alike and rank != alike[0].rank:
                    yield from sorted(alike, key=_position)
                    alike = []
                alike.append(self._hit(row, rank))
            yield from sorted(alike, key=_position)
        except sqlite3.Error as failure:
            raise error_of(self._place, failure) from failure

    def count(self, query: str = "") -> int:
        """Count the sections that match, or all sections."""
        asked = (_COUNT, (query,)) if query else ("SELECT count(*) FROM places", ())
        try:
            (number,) = self._connection.execute(*asked).fetchone()
        except sqlite3.Error as failure:
            raise error_of(self._place, failure) from failure
        return int(number)

    def marked(self, query: str, hit: Hit) -> tuple[str, str]:
        """Return a hit's headings and text, with every match between `START` and `END`."""
        given = {"start": START, "end": END, "query": query, "row": hit.row}
        try:
            headings, body = self._connection.execute(_MARKED, given).fetchone()
        except sqlite3.Error as failure:
            raise error_of(self._place, failure) from failure
        return headings, body

    def _hit(self, row: int, rank: float) -> Hit:
        path, line, last, trail, code = self._connection.execute(_PLACE, (row,)).fetchone()
        return Hit(path, line, last, tuple(trail.split(_JOIN)) if trail else (), bool(code), rank, row)

    def _show(self, stamp: str, wanted: Mapping[str, str], read: Read) -> int:
        self._connection.rollback()
        count = 0
        for _ in range(_ATTEMPTS):
            self._connection.execute("BEGIN")
            if self._stamp() == stamp:
                return count  # the open transaction keeps this state visible
            self._connection.rollback()
            count += self._change(stamp, wanted, read)
        raise BusyError(f"another process keeps indexing different documents in {str(self._place)!r}; try again")

    def _stamp(self) -> str:
        row = self._connection.execute("SELECT value FROM notes WHERE name = 'stamp'").fetchone()
        return str(row[0]) if row is not None else ""

    def _change(self, stamp: str, wanted: Mapping[str, str], read: Read) -> int:
        """Remove what is gone or changed and add what is new, in one transaction."""
        self._connection.execute("BEGIN IMMEDIATE")
        with self._connection:
            kept = dict(self._connection.execute("SELECT path, blob FROM files"))
            for path in [path for path, blob in kept.items() if wanted.get(path) != blob]:
                self._remove(path)
            missing = [path for path, blob in wanted.items() if kept.get(path) != blob]
            for document in read(missing):
                self._add(document, wanted[document.path])
            self._connection.execute("INSERT OR REPLACE INTO notes VALUES ('stamp', ?)", (stamp,))
        return len(missing)

    def _remove(self, path: str) -> None:
        (file,) = self._connection.execute("SELECT id FROM files WHERE path = ?", (path,)).fetchone()
        self._connection.execute("DELETE FROM words WHERE rowid IN (SELECT id FROM places WHERE file = ?)", (file,))
        self._connection.execute("DELETE FROM places WHERE file = ?", (file,))
        self._connection.execute("DELETE FROM files WHERE id = ?", (file,))

    def _add(self, document: Document, blob: str) -> None:
        execute, executemany = self._connection.execute, self._connection.executemany
        file = execute(_ADD_FILE, (document.path, blob, document.gap)).lastrowid
        sections = list(document.sections)
        (last,) = execute("SELECT coalesce(max(id), 0) FROM places").fetchone()
        trails = [[*map(_clean, one.trail)] for one in sections]
        numbered = list(enumerate(zip(sections, trails, strict=True), start=last + 1))
        executemany(
            _ADD_PLACE, ((row, file, one.line, one.last, _JOIN.join(trail), one.code) for row, (one, trail) in numbered)
        )
        executemany(_ADD_WORDS, ((row, _spelled(trail), _clean(one.text)) for row, (one, trail) in numbered))


def _position(hit: Hit) -> tuple[str, int]:
    return hit.path, hit.line


def _clean(text: str) -> str:
    if text.isascii() and text.isprintable():
        return text
    return text.translate(_OWN_MARKS).encode("utf-8", "replace").decode()


def _spelled(trail: Sequence[str]) -> str:
    """Return headings as they are indexed: camel-case names can also be found by their parts."""
    from pactkeeper.intent.wording import split_identifier  # noqa: PLC0415 - only needed if documents changed

    words = [word for title in trail for word in title.split()]
    parts = [part for word in words if not word.islower() for part in split_identifier(word) if len(part) < len(word)]
    return " ".join([*words, *parts])


LAYOUT: Final = 1  # bumped with every change to the tables; a file with another layout is discarded
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
    """Classify a failure: no FTS5 in this SQLite, another process, no space or permission, or a corrupt file."""
    if "no such module: fts5" in str(failure):
        return "module"
    code = getattr(failure, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if code in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
        return "busy"
    return "unwritable" if code in _UNWRITABLE else "damaged"


def error_of(place: Path, failure: sqlite3.Error) -> PactkeeperError:
    """Translate a SQLite failure into the error to raise."""
    kind = kind_of(failure)
    if kind == "module":
        return SourceError("documents cannot be searched: this Python's SQLite has no FTS5 module; use another Python")
    if kind == "busy":
        return BusyError(f"another process is indexing documents in {str(place)!r}; try again")
    return SourceError(
        f"the index of documents {str(place)!r} cannot be searched: {failure}; delete it and run again to rebuild it"
    )


def open_database(place: Path, *, notice: Callable[[str], None], wait: float) -> sqlite3.Connection:
    """Open the file; a damaged one is rebuilt, and one that can't be written is replaced in memory, with a notice.

    Waits at most `wait` seconds for another process's write.
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
    notice(f"the index of documents {place} was damaged and is being rebuilt")
    try:
        remove_database(place)
        return _connected(place, wait)
    except (OSError, sqlite3.Error):
        raise error_of(place, failure) from failure


def in_memory(place: Path, failure: Exception, *, notice: Callable[[str], None]) -> sqlite3.Connection:
    """Open an empty in-memory database."""
    notice(f"working without the index of documents {place}: {failure}; make it writable or delete it")
    try:
        return _connected(":memory:")
    except sqlite3.Error as second:
        raise error_of(place, second) from second


def _connected(place: Path | str, wait: float = 0) -> sqlite3.Connection:
    connection = sqlite3.connect(place, timeout=wait, isolation_level=None)
    try:
        lay_out(connection, _TABLES, layout=LAYOUT)
    except sqlite3.Error:
        connection.close()
        raise
    return connection
