"""The history of one repository: what every function of this room is about.

Many rows at once, a chunk at a time, so that memory does not grow with their number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, TypeVar

from sqlalchemy import Connection, Table, text
from sqlalchemy.dialects import postgresql, sqlite

from pactkeeper.store.database import Database


@dataclass(frozen=True, slots=True)
class History:
    """One repository's rows of a database; `repository` is the same in every clone and worktree of it."""

    database: Database
    repository: str


Row = Mapping[str, Any]
Value = TypeVar("Value")

CHUNK: Final = 500  # rows of one statement, and values of one IN


def chunks(values: Iterable[Value], size: int = CHUNK) -> Iterator[Sequence[Value]]:
    """Cut into lists of at most `size`, reading no further ahead."""
    rest = iter(values)
    while chunk := list(islice(rest, size)):
        yield chunk


def insert(connection: Connection, table: Table, rows: Iterable[Row]) -> None:
    """Add rows; one that is there already is an error."""
    for chunk in chunks(rows):
        connection.execute(table.insert(), chunk)


def insert_new(connection: Connection, table: Table, rows: Iterable[Row]) -> None:
    """Add the rows that are not there yet, by any of the table's keys, and leave the others alone."""
    statement = _insert(connection)(table).on_conflict_do_nothing()
    for chunk in chunks(rows):
        connection.execute(statement, chunk)


def upsert(
    connection: Connection, table: Table, rows: Iterable[Row], *, key: Sequence[str], keep: Sequence[str] = ()
) -> None:
    """Add rows, and give one that is there already the new values of all columns but its key and those to `keep`."""
    fixed = {*key, *keep, "number"}
    statement = _insert(connection)(table)
    changed = {column.name: statement.excluded[column.name] for column in table.columns if column.name not in fixed}
    for chunk in chunks(rows):
        connection.execute(statement.on_conflict_do_update(index_elements=list(key), set_=changed), chunk)


def renew_statistics(connection: Connection, tables: Sequence[Table], *, grown: int, anyway: bool) -> None:
    """Let Postgres count tables anew where the first of them grew by more rows than it had when they were counted.

    Until it gets round to that by itself it takes them for tiny and joins them row by row: a list that takes half a
    second takes minutes.
    """
    if connection.dialect.name != "postgresql":
        return
    counted = text("SELECT reltuples FROM pg_class WHERE oid = to_regclass(:name)")
    if anyway or connection.execute(counted, {"name": tables[0].name}).scalar_one() < grown:
        for table in tables:
            connection.execute(text(f"ANALYZE {table.name}"))


def _insert(connection: Connection) -> Any:  # noqa: ANN401 - the two dialects' constructs share no type
    return postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
