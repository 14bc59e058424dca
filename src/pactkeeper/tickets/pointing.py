"""How people say where words belong: `2=problem 3,4=criterion 5-7=drop`, by the names that labels have."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pactkeeper.errors import UsageError
from pactkeeper.intent.ticket import FIELDS, Loose
from pactkeeper.speech.labels import field_named
from pactkeeper.tickets.loose import DROP, Placing, to_place

_ONE: Final = re.compile(
    r"(?P<numbers>all|\d{1,5}(?:-\d{1,5})?(?:,\d{1,5}(?:-\d{1,5})?)*)=(?P<place>[^=\s:][^=:]*)(?::(?P<key>.+))?"
)
_MOST: Final = 1_000  # numbers of a range
_ADVICE: Final = "such as 2=problem 3,4=criterion 5-7=drop"


def placings(words: Sequence[str]) -> tuple[Placing, ...]:
    """Read placings; raises UsageError with all that is wrong with them."""
    found, wrong = list[Placing](), list[str]()
    for word in words:
        hit = _ONE.fullmatch(word.strip())
        place = _place(hit["place"]) if hit else ""
        if hit is None:
            wrong.append(f"{word!r} says no place, {_ADVICE}")
        elif not place:
            wrong.append(f"{hit['place']!r} is no field; there are {', '.join(FIELDS)} and drop")
        else:
            found.append(Placing(_numbers(hit["numbers"]), place, (hit["key"] or "").strip()))
    if wrong or not found:
        raise UsageError("; ".join(wrong) or f"say where something belongs, {_ADVICE}")
    return tuple(found)


def with_numbers(found: Sequence[Placing], loose: Sequence[Loose]) -> tuple[Placing, ...]:
    """Placings with `all` as the numbers of what waits; raises UsageError for numbers that there are none of."""
    known = {one.number for one in loose}
    waiting = tuple(one.number for one in to_place(loose))
    whole = tuple(one if one.numbers else Placing(waiting, one.place, one.key) for one in found)
    missing = sorted({number for one in whole for number in one.numbers} - known)
    if missing:
        raise UsageError(f"there is no sentence {missing[0]} to place; the numbers stand in: pk thread show THREAD")
    return whole


def as_text(found: Sequence[Placing]) -> str:
    """Placings in one line, as `placings` reads them."""
    return " ".join(
        f"{','.join(map(str, one.numbers)) or 'all'}={one.place}{f':{one.key}' if one.key else ''}" for one in found
    )


def read_text(text: str) -> tuple[Placing, ...]:
    """Read what `as_text` wrote: a key ends where the next placing begins."""
    return placings(re.split(r"(?<!\s)\s++(?=(?:all|\d[\d,-]*+)=)", text.strip()))


def _place(name: str) -> str:
    bare = name.strip().casefold().replace(" ", "_")
    if bare == DROP or bare in FIELDS:
        return bare
    return field_named(name.replace("_", " "))


def _numbers(text: str) -> tuple[int, ...]:
    """The numbers of `3,5-7`; none for `all`."""
    found: list[int] = []
    for part in text.split(",") if text != "all" else ():
        first, _, last = part.partition("-")
        found += range(int(first), min(int(last or first), int(first) + _MOST) + 1)
    return tuple(dict.fromkeys(found))
