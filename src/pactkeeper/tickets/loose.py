"""Words that nothing marks: numbered in their thread, kept word for word, and placed by whoever knows where.

How people say where words belong: `2=problem 3,4=criterion 5-7=drop`, by the names that labels have.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, cast

from pactkeeper.errors import UsageError
from pactkeeper.intent.ticket import FIELDS, SINGLE, Draft, Field, Loose, PlacedValue, values_of
from pactkeeper.intent.ticket_patch import DraftPatch
from pactkeeper.speech.labels import field_named
from pactkeeper.speech.replying import is_small_talk

DROP: Final = "drop"
MOST_SHOWN: Final = 12
_JOINED: Final[frozenset[str]] = frozenset({"problem", "proposed_solution"})


@dataclass(frozen=True, slots=True)
class Placing:
    """One thing that a person says about unplaced words: their numbers, and the field where they belong, or `drop`.

    `key` names the constraint that they are.
    """

    numbers: tuple[int, ...]
    place: str
    key: str = ""


def heard(known: Sequence[Loose], new: Sequence[Loose], *, edits: str = "") -> tuple[Loose, ...]:
    """The unplaced words of a thread with those of one more message; an edit takes the place of its earlier form."""
    kept = [one for one in known if not _is_of(one.said, edits)]
    gone = {one.said.value: one for one in known if _is_of(one.said, edits) and not one.place}
    number = max((one.number for one in known), default=0)
    for one in new:
        same = gone.pop(one.said.value, None)
        number += same is None
        kept.append(replace(one, number=number if same is None else same.number))
    return tuple(sorted(kept, key=lambda one: one.number))


def to_place(loose: Sequence[Loose]) -> tuple[Loose, ...]:
    """The words that wait for somebody to place them; greetings do not."""
    return tuple(one for one in loose if not one.place and not is_small_talk(one.said.value))


def placed(
    draft: Draft, loose: Sequence[Loose], placings: Sequence[Placing], *, by: str
) -> tuple[tuple[DraftPatch, ...], tuple[Loose, ...]]:
    """What placings change in a draft, and the words with their places; unknown numbers change nothing."""
    now = {one.number: one for one in loose}
    patches: list[DraftPatch] = []
    for placing in placings:
        meant = [now[number] for number in placing.numbers if number in now]
        patches += (patch for one in meant for patch in _taken_back(one))
        if placing.place != DROP:
            patches += _put(draft, now, meant, placing, by=by)
        now |= {one.number: replace(one, place=placing.place) for one in meant}
    return tuple(patches), tuple(now.values())


def without(loose: Sequence[Loose], patches: Sequence[DraftPatch]) -> tuple[Loose, ...]:
    """The words with the places that patches give those whose message and text they quote."""
    return tuple(_with_place(one, patches) for one in loose)


def is_of_loose(patch: DraftPatch, loose: Sequence[Loose]) -> bool:
    """Whether a patch quotes words that wait to be placed, and not what its message marks."""
    return any(one.said.message == patch.said.message and _overlap(patch.said.quote, one.said.quote) for one in loose)


def _with_place(one: Loose, patches: Sequence[DraftPatch]) -> Loose:
    quoted = (patch for patch in patches if patch.said.message == one.said.message)
    hit = next((patch for patch in quoted if _overlap(patch.said.quote, one.said.quote)), None)
    return one if one.place or hit is None else replace(one, place=hit.field)


def _overlap(one: str, other: str) -> bool:
    return one in other or other in one


def _put(
    draft: Draft, now: dict[int, Loose], meant: Sequence[Loose], placing: Placing, *, by: str
) -> Iterator[DraftPatch]:
    """The words of a placing in their field; several of a single field are said one after the other."""
    name = cast("Field", placing.place)
    said = [replace(one.said, placed_by=by) for one in meant]
    if name in _JOINED and len(said) > 1:
        said = [replace(said[0], value=" ".join(one.value for one in said), quote="\n".join(one.quote for one in said))]
    if name not in SINGLE:
        yield from (DraftPatch("add", name, one, key=placing.key) for one in said)
        return
    tapped = [one for one in now.values() if one.place == name]
    was_tapped = any(held.placed_by for held in values_of(draft, name))
    for one in tapped if was_tapped else ():
        now[one.number] = replace(one, place="")
    for words in said[-1:]:
        yield DraftPatch("correct" if was_tapped else "set", name, words, key=placing.key)


def _taken_back(one: Loose) -> Iterator[DraftPatch]:
    """What takes words out of the field where they were put before."""
    if one.place and one.place != DROP:
        yield DraftPatch("retract", cast("Field", one.place), one.said, old=one.said.value)


def _is_of(said: PlacedValue, message: str) -> bool:
    return bool(message) and (said.message == message or said.message.startswith(f"{message}:"))


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
