"""Many rows at once, a chunk at a time, so that memory does not grow with their number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final, TypeVar

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite

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


def _insert(connection: Connection) -> Any:  # noqa: ANN401 - the two dialects' constructs share no type
    return postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
