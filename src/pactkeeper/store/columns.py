"""The column types of all tables (sorted text, JSON and integers), the collection of the tables, and their rows."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, Final, TypeVar

from sqlalchemy import BigInteger, Column, Dialect, ForeignKey, Integer, MetaData, Row, Table, Text
from sqlalchemy.schema import SchemaItem
from sqlalchemy.types import TypeDecorator, TypeEngine

from pactkeeper.errors import InputError
from pactkeeper.ledger.canonical import JsonValue, canonical_json, digest, from_fields

Value = TypeVar("Value")
# Postgres stores no NUL in text, but a title in JavaScript may hold one.
_ESCAPE: Final = "\x1b"
_ESCAPED: Final = (("\x1b", "\x1b1"), ("\x00", "\x1b0"))


class SortedText(TypeDecorator[str]):
    """Text that round-trips unchanged and sorts by code point on both databases."""

    impl = Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Set the collation, since Postgres sorts by the server's language by default."""
        return Text(collation="C") if dialect.name == "postgresql" else Text()

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002 - the type's shape
        """Escape what Postgres rejects."""
        if value is None or ("\x00" not in value and _ESCAPE not in value):
            return value
        for plain, escaped in _ESCAPED:
            value = value.replace(plain, escaped)
        return value

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002 - likewise
        """Undo the escapes."""
        if value is None or _ESCAPE not in value:
            return value
        for plain, escaped in reversed(_ESCAPED):
            value = value.replace(escaped, plain)
        return value


class Json(TypeDecorator[JsonValue]):
    """A JSON value stored as canonical text: the same bytes on both databases, no floats, no NUL."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: JsonValue, dialect: Dialect) -> str | None:  # noqa: ARG002 - likewise
        """Encode in canonical form; None becomes SQL's NULL."""
        return None if value is None else canonical_json(value).decode()

    def process_result_value(self, value: str | None, dialect: Dialect) -> JsonValue:  # noqa: ARG002 - likewise
        """Decode into dicts, lists and scalars."""
        found: JsonValue = None if value is None else json.loads(value)
        return found


def key_of(text: str) -> str:
    """Return a short key for text of any length: Postgres rejects index entries beyond about 2,700 bytes."""
    return digest(text)[3:35]


def instant(text: str) -> str:
    """Convert an ISO 8601 time with offset to UTC with microseconds, so that the texts sort chronologically.

    Raises InputError for any other text.
    """
    try:
        found = datetime.fromisoformat(text)
    except ValueError as error:
        raise InputError(f"{text!r} is not an ISO 8601 time ({error})") from error
    if found.tzinfo is None:
        raise InputError(f"the time {text!r} has no offset; write it like 2026-01-31T12:00:00+00:00")
    return found.astimezone(UTC).isoformat(timespec="microseconds")


def just_after(moment: str) -> str:
    """Return the instant one microsecond later."""
    return (datetime.fromisoformat(moment) + timedelta(microseconds=1)).isoformat(timespec="microseconds")


METADATA: Final = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def number() -> Column[int]:
    """A row number that reflects insertion order."""
    return Column("number", Integer, primary_key=True, autoincrement=True)


def words(*names: str, key: bool = False) -> Iterator[Column[str]]:
    """Text columns, part of the primary key if `key`."""
    return (Column(name, SortedText, primary_key=key, nullable=False) for name in names)


def maybe(*names: str) -> Iterator[Column[str | None]]:
    """Nullable text columns."""
    return (Column(name, SortedText, nullable=True) for name in names)


def whole(*names: str, key: bool = False) -> Iterator[Column[int]]:
    """Integer columns."""
    return (Column(name, Integer, primary_key=key, nullable=False, autoincrement=False) for name in names)


def large(*names: str) -> Iterator[Column[int]]:
    """Integer columns for byte counts."""
    return (Column(name, BigInteger, nullable=False, autoincrement=False) for name in names)


def json_value(*names: str, nullable: bool = False) -> Iterator[Column[Any]]:
    """JSON columns."""
    return (Column(name, Json, nullable=nullable) for name in names)


def part_of(table: str, name: str, *, key: bool = False) -> Column[int]:
    """A foreign key to another table's row by number, deleted along with it."""
    target = ForeignKey(f"{table}.number", ondelete="CASCADE")
    return Column(name, Integer, target, primary_key=key, nullable=False, autoincrement=False)


def table(name: str, *parts: SchemaItem | Iterator[Column[Any]]) -> Table:
    """A table of the history."""
    return Table(name, METADATA, *(one for part in parts for one in ([part] if isinstance(part, SchemaItem) else part)))


def row_of(table: Table, value: object, /, **more: object) -> dict[str, Any]:
    """Return a table's row with whatever the value has under the names of its columns, and `more`."""
    return {name: getattr(value, name) for name in _given(table) if hasattr(value, name)} | more


@cache
def _given(table: Table) -> tuple[str, ...]:
    """Return the names of a table's columns, without the number, which the database gives."""
    return tuple(column.name for column in table.columns if column.name != "number")


def from_row(kind: Callable[..., Value], row: Row[Any], /, **more: object) -> Value:
    """Return a dataclass from the columns that are named like its fields, and `more`; lists become tuples."""
    return from_fields(kind, {**row._mapping, **more})  # noqa: SLF001 - the public name of a row as a mapping
