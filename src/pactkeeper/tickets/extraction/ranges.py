"""Values from a least to a most, as the two bounds that they are: `between 30 and 60 days`, `200-300 ms`."""

from __future__ import annotations

import re
from typing import Final

from pactkeeper.intent.amounts import amount

_UNIT: Final = r"%|€|[^\W\d_]+"
_RANGE: Final = re.compile(
    rf"(?:between|from|zwischen|von|entre|de)?\s*(?P<low>\d[\d.,]*)\s?(?P<unit>{_UNIT})??\s*"
    rf"(?:-|–|\b(?:to|and|bis|und|et|à|a|y)\b)\s*(?P<high>\d[\d.,]*)\s?(?P<last>{_UNIT})",
    re.IGNORECASE,
)
_CLOCK: Final = frozenset({"h", "uhr", "am", "pm", "o"})  # units of the time of day: `9-17 h`


def sides(value: str) -> tuple[str, ...]:
    """The least and the most that a value gives, each as a value; the value alone where it is no such range."""
    hit = _RANGE.fullmatch(value.strip(" .!"))
    if hit is None or hit["last"].casefold() in _CLOCK:
        return (value,)
    low, high = f"{hit['low']} {hit['unit'] or hit['last']}", f"{hit['high']} {hit['last']}"
    ours, theirs = amount(low), amount(high)
    if ours is None or theirs is None or ours.dimension != theirs.dimension or ours.number >= theirs.number:
        return (value,)
    return f"at least {low}", f"at most {high}"


def is_range(value: str) -> bool:
    """Whether a value gives a least and a most."""
    return len(sides(value)) > 1
