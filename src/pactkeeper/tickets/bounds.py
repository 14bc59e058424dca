"""Constraints as sentences, so that they can be compared with other statements."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pactkeeper.intent.ticket import Draft, PlacedValue, sides_of

_TRUE: Final = frozenset({"required", "yes", "true"})
_FALSE: Final = frozenset({"forbidden", "no", "false"})


def in_words(key: str, value: str) -> str:
    """A constraint as one sentence, such as `session: 15 minutes`; just its value if it has no key."""
    if not key:
        return value
    if value.casefold() in _TRUE:
        return key
    return f"not {key}" if value.casefold() in _FALSE else f"{key}: {value}"


def bounds_in_words(draft: Draft) -> Iterator[tuple[str, PlacedValue, str]]:
    """Each value of each constraint that wasn't rejected, as its key, the value, and both in one sentence."""
    for one in draft.constraints:
        if one.status != "rejected":
            yield from ((one.key, side, in_words(one.key, side.value)) for side in sides_of(one.value))
