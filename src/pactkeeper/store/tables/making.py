"""The kinds of column that tables are made of, and the one collection that holds all tables."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKey,
    Integer,
    MetaData,
)

from pactkeeper.store.columns import Json, SortedText

METADATA: Final = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def number() -> Column[int]:
    """A row's number: the order in which rows came."""
    return Column("number", Integer, primary_key=True, autoincrement=True)


def words(name: str, *, key: bool = False) -> Column[str]:
    """A text; where `key`, the key of its table."""
    return Column(name, SortedText, primary_key=key, nullable=False)


def maybe(name: str) -> Column[str | None]:
    """A text that may be missing."""
    return Column(name, SortedText, nullable=True)


def whole(name: str, *, key: bool = False) -> Column[int]:
    """A whole number."""
    return Column(name, Integer, primary_key=key, nullable=False, autoincrement=False)


def large(name: str) -> Column[int]:
    """A whole number that counts bytes of a file."""
    return Column(name, BigInteger, nullable=False, autoincrement=False)


def json_value(name: str, *, nullable: bool = False) -> Column[Any]:
    """A value of JSON."""
    return Column(name, Json, nullable=nullable)


def part_of(table: str, name: str, *, key: bool = False) -> Column[int]:
    """A reference to the row of another table by its number; this row goes when that one goes."""
    target = ForeignKey(f"{table}.number", ondelete="CASCADE")
    return Column(name, Integer, target, primary_key=key, nullable=False, autoincrement=False)
