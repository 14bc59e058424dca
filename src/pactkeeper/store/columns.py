"""The two kinds of column that every table is made of besides whole numbers: text and JSON."""

from __future__ import annotations

import json
from typing import Any, Final

from sqlalchemy import Dialect, Text
from sqlalchemy.types import TypeDecorator, TypeEngine

from pactkeeper.ledger.canonical import JsonValue, canonical_json, digest

# Postgres keeps no NUL in text, and a title in JavaScript may hold one.
_ESCAPE: Final = "\x1b"
_ESCAPED: Final = (("\x1b", "\x1b1"), ("\x00", "\x1b0"))


class SortedText(TypeDecorator[str]):
    """Text that comes back as it was given and sorts by code point on both databases."""

    impl = Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Postgres sorts by the language of the server unless told otherwise."""
        return Text(collation="C") if dialect.name == "postgresql" else Text()

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002 - the type's shape
        """Escape what Postgres refuses."""
        if value is None or ("\x00" not in value and _ESCAPE not in value):
            return value
        for plain, escaped in _ESCAPED:
            value = value.replace(plain, escaped)
        return value

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002 - likewise
        """Take the escapes back."""
        if value is None or _ESCAPE not in value:
            return value
        for plain, escaped in reversed(_ESCAPED):
            value = value.replace(escaped, plain)
        return value


class Json(TypeDecorator[JsonValue]):
    """A JSON value kept as canonical text: the same bytes on both databases, no floats, no NUL."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: JsonValue, dialect: Dialect) -> str | None:  # noqa: ARG002 - likewise
        """Write the canonical form; None is SQL's NULL."""
        return None if value is None else canonical_json(value).decode()

    def process_result_value(self, value: str | None, dialect: Dialect) -> JsonValue:  # noqa: ARG002 - likewise
        """Read it back as dicts, lists and scalars."""
        found: JsonValue = None if value is None else json.loads(value)
        return found


def key_of(text: str) -> str:
    """A short stand-in for a text of any length: an index of Postgres refuses an entry of some 2,700 bytes."""
    return digest(text)[3:35]
