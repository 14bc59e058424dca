"""A slice of a long list, read where it is stored, with a cursor after each member."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from pactkeeper.errors import UsageError

_DIGITS: Final = 15


@dataclass(frozen=True, slots=True)
class Slice:
    """Some members, the cursor after each, the length of the whole list, and whether any members follow."""

    members: Sequence[Any]
    cursors: Sequence[str]
    total: int
    more: bool


def cursor_of(*numbers: int) -> str:
    """Build a cursor that says where to continue; it is valid in every process for as long as the list is."""
    return ".".join(map(str, numbers))


def numbers_of(cursor: str, count: int) -> tuple[int, ...]:
    """Return the numbers `cursor_of` was given, zeros for an empty cursor; raises UsageError if it is malformed."""
    parts = cursor.split(".") if cursor else ["0"] * count
    if len(parts) != count or not all(one.isascii() and one.isdigit() and len(one) <= _DIGITS for one in parts):
        raise UsageError(f"the cursor {cursor!r} is unknown; call again without it")
    return tuple(map(int, parts))
