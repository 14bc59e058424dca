"""The history of one repository, on which all functions of this package operate.

Also bulk inserts in chunks, so that memory does not grow with the number of rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any, Final, TypeVar

from sqlalchemy import BindParameter, Connection, Table, bindparam, text
from sqlalchemy.dialects import postgresql, sqlite

from pactkeeper.store.columns import row_of
from pactkeeper.store.database import Database


@dataclass(frozen=True, slots=True)
class History:
    """One repository's rows in a database; `repository` is the same in all of its clones and worktrees."""

    database: Database
    repository: str

    def given(self, **values: object) -> dict[str, object]:
        """Return the parameters of a statement that asks for `OWN` rows."""
        return {OWN.key: self.repository, **values}

    def row(self, table: Table, value: object, /, **more: object) -> dict[str, Any]:
        """Return this repository's row of a table, as `row_of` does."""
        return row_of(table, value, repository=self.repository, **more)


# Rows of this repository. Building a statement takes five times as long as running it, so frequent ones are built once.
OWN: Final[BindParameter[str]] = bindparam("own_repository")
Row = Mapping[str, Any]
Value = TypeVar("Value")

CHUNK: Final = 500  # rows per statement, and values per IN


def chunks(values: Iterable[Value], size: int = CHUNK) -> Iterator[Sequence[Value]]:
    """Split into lists of at most `size`, without reading further ahead."""
    rest = iter(values)
    while chunk := list(islice(rest, size)):
        yield chunk


def insert(connection: Connection, table: Table, rows: Iterable[Row]) -> None:
    """Insert rows; an existing one is an error."""
    for chunk in chunks(rows):
        connection.execute(table.insert(), chunk)


def insert_new(connection: Connection, table: Table, rows: Iterable[Row]) -> None:
    """Insert the rows that don't exist yet by any of the table's keys; leave existing ones alone."""
    statement = _inserting(connection.dialect.name, table)
    for chunk in chunks(rows):
        connection.execute(statement, chunk)


def upsert(
    connection: Connection, table: Table, rows: Iterable[Row], *, key: Sequence[str], keep: Sequence[str] = ()
) -> None:
    """Insert rows, updating existing ones in all columns but the key and those to `keep`."""
    statement = _upserting(connection.dialect.name, table, tuple(key), tuple(keep))
    for chunk in chunks(rows):
        connection.execute(statement, chunk)


def renew_statistics(connection: Connection, tables: Sequence[Table], *, grown: int, anyway: bool) -> None:
    """Refresh Postgres's statistics if the first table grew by more rows than it had at the last count.

    Until autovacuum does so, Postgres assumes tiny tables and joins row by row: a half-second list takes minutes.
    """
    if connection.dialect.name != "postgresql":
        return
    counted = text("SELECT reltuples FROM pg_class WHERE oid = to_regclass(:name)")
    if anyway or connection.execute(counted, {"name": tables[0].name}).scalar_one() < grown:
        for table in tables:
            connection.execute(text(f"ANALYZE {table.name}"))


@cache
def _inserting(dialect: str, table: Table) -> Any:  # noqa: ANN401 - the two dialects' constructs share no type
    return _insert(dialect)(table).on_conflict_do_nothing()


@cache
def _upserting(dialect: str, table: Table, key: tuple[str, ...], keep: tuple[str, ...]) -> Any:  # noqa: ANN401 - likewise
    fixed = {*key, *keep, "number"}
    statement = _insert(dialect)(table)
    changed = {column.name: statement.excluded[column.name] for column in table.columns if column.name not in fixed}
    return statement.on_conflict_do_update(index_elements=list(key), set_=changed)


def _insert(dialect: str) -> Any:  # noqa: ANN401 - likewise
    return postgresql.insert if dialect == "postgresql" else sqlite.insert
