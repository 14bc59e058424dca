"""A part of a long list that is read where it is kept, with a cursor after each member."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from pactkeeper.errors import UsageError

_DIGITS: Final = 15


@dataclass(frozen=True, slots=True)
class Slice:
    """Some members, the cursor that goes on after each, how many the whole list has, and whether any follow these."""

    members: Sequence[Any]
    cursors: Sequence[str]
    total: int
    more: bool


def cursor_of(*numbers: int) -> str:
    """A cursor that says where to go on; it holds in every process, and as long as the list does."""
    return ".".join(map(str, numbers))


def numbers_of(cursor: str, count: int) -> tuple[int, ...]:
    """What `cursor_of` was given; all zeros for an empty cursor. Raises UsageError for what is no cursor."""
    parts = cursor.split(".") if cursor else ["0"] * count
    if len(parts) != count or not all(one.isascii() and one.isdigit() and len(one) <= _DIGITS for one in parts):
        raise UsageError(f"the cursor {cursor!r} is unknown; call again without it")
    return tuple(map(int, parts))
