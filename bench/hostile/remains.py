"""What a command leaves in a place: its files, and every row of its history, without values that vary."""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

# What two runs of one command never agree about: moments, durations, and where the copy lies. Ids drawn at random
# keep their kind.
_UNSHARED: Final = (
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[+-]\d\d:?\d\d|Z)?(?:#\d+)?"), "TIME"),
    (re.compile(r"\b\d{8}-\d{6}\b"), "TIME"),
    (re.compile(r"(?<=/pactkeeper-)\w{8}(?=/)"), "RANDOM"),
    (re.compile(r"\$argon2[^\s\"]+"), "PASSWORD"),
    (re.compile(r"\b(?:REC|TH|COM|fix|T)-[0-9A-HJKMNP-TV-Z]{7}\b"), "ID"),
    (re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"), "UUID"),
    (re.compile(r"\b1[0-9]{12}\b"), "MILLISECONDS"),
    (re.compile(r"(?<![0-9a-f])(?:v1:)?[0-9a-f]{12,64}(?![0-9a-f])"), "HASH"),
    (re.compile(r'(?<="inode": ")\d+:\d+'), "INODE"),
    (re.compile(r"BEGIN SSH SIGNATURE[\w\s+/=\\-]+"), "SIGNATURE"),
)
# Rows are counted from one in each table, and what was interrupted has numbers as well.
_COUNTED: Final = frozenset(
    {"number", "run", "patch", "conversation", "artifact", "sweep", "milliseconds", "process", "owner"}
)
_HISTORIES: Final = ("history.db", "team.db")
_LEFT_OUT: Final = frozenset({*_HISTORIES, "cache.sqlite", "docs.sqlite", "checkpoints.db", "lock", "run.lock"})
# A step that is taken again is recorded again.
_LOGS: Final = frozenset({"thread_steps", "trace"})
Remains = Counter[str]


def remains(folder: Path, url: str, more: Iterable[str] = ()) -> Remains:
    """Files below `folder`, rows of its histories (or of the database at `url`), and `more`, each as a line."""
    found = Counter(_plain(line, folder) for line in (*_files(folder), *_journal(folder), *more))
    files = (file for name in _HISTORIES for file in folder.rglob(name))
    for line in _postgres(url) if url else (row for file in files for row in _sqlite(file)):
        found[_plain(line, folder)] += 1
    return found


def _plain(text: str, folder: Path) -> str:
    plain = text.replace(str(folder), "PLACE")
    for pattern, stand_in in _UNSHARED:
        plain = pattern.sub(stand_in, plain)
    return plain


def _files(folder: Path) -> Iterator[str]:
    """Each file outside of git's folder with its contents; of those that hold rows or nothing, not even the name."""
    for file in sorted(folder.rglob("*")):
        within = file.relative_to(folder)
        if (
            file.is_file()
            and not any(part.endswith(".git") for part in within.parts)
            and not file.name.startswith(tuple(_LEFT_OUT))
        ):
            yield f"file {within}: {file.read_bytes().decode('utf-8', 'replace')}"


def _journal(folder: Path) -> Iterator[str]:
    """What is left of the journal and of locks; an entry that is not done is unfinished work."""
    for file in sorted((folder / "repository" / ".git" / "pact").rglob("*")):
        if file.is_file() and not file.name.startswith(tuple(_LEFT_OUT)):
            yield f"state {file.suffix if file.parent.name == 'journal' else file.name}"


def _sqlite(file: Path) -> Iterator[str]:
    connection = sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)
    try:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for name in (one for one in names if one not in _LOGS):
            rows = connection.execute(f'SELECT * FROM "{name}"')  # noqa: S608 - a name that the database gave
            columns = [one[0] for one in rows.description]
            yield from (_row(name, columns, row) for row in rows)
    finally:
        connection.close()


def _postgres(url: str) -> Iterator[str]:
    import psycopg  # noqa: PLC0415 - an extra

    with psycopg.connect(url) as connection:
        tables = connection.execute(
            "SELECT schemaname, tablename FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')"
        ).fetchall()
        for schema, name in tables:
            if name not in _LOGS and not name.startswith("checkpoint"):
                rows = connection.execute(f'SELECT * FROM "{schema}"."{name}"')  # noqa: S608 - likewise
                columns = [one.name for one in rows.description or ()]
                yield from (_row(name, columns, row) for row in rows)


def _row(table: str, columns: Sequence[str], row: Sequence[object]) -> str:
    kept = {name: value for name, value in zip(columns, row, strict=True) if name not in _COUNTED}
    return f"row {table} {json.dumps(kept, default=str, ensure_ascii=False)}"
