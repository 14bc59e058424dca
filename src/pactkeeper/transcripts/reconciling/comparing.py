"""Whether two lines name the same work: fields decide, likeness only says that somebody should be asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, Generic, Literal, TypeVar

from pactkeeper.transcripts.reconciling.saying import Said, said, stems

Sameness = Literal["same", "different", "perhaps", "unrelated"]
LIKE: Final = 85  # of 100 points of likeness
HALF: Final = 2
Thing = TypeVar("Thing")


@dataclass(frozen=True, slots=True)
class Comparison:
    """What comparing two lines gave, and why."""

    sameness: Sameness
    why: str


@dataclass(frozen=True, slots=True)
class Matches(Generic[Thing]):
    """Things that are the same, and those that may be, the likeliest first, each with the reason."""

    same: tuple[Thing, ...]
    perhaps: tuple[tuple[Thing, str], ...]


def compare(one: str, other: str) -> Comparison:
    """Compare two titles.

    A detail that both have and share nothing of makes them different. Equal words and details make them the same.
    Likeness makes a question of it.
    """
    a, b = said(one), said(other)
    for field, values in a.details.items():
        theirs = b.details.get(field)
        if theirs and values - theirs and theirs - values and field != "parties":
            return Comparison("different", f"{field}: {_listed(values)} is not {_listed(theirs)}")
    alike = _alike(a, b)
    if alike and _other_party(a, b):
        mine, theirs = a.details["parties"], b.details["parties"]
        return Comparison("different", f"it is about {_listed(mine)}, not {_listed(theirs)}")
    if a.words == b.words and a.words and a.details == b.details:
        return Comparison("same", "the same words and details")
    if shared := a.details.get("ids", frozenset()) & b.details.get("ids", frozenset()):
        return Comparison("perhaps", f"both name {_listed(shared)}")
    return Comparison("perhaps", alike) if alike else Comparison("unrelated", "they share no words that say much")


def matches(title: str, things: Iterable[Thing], name: Callable[[Thing], str]) -> Matches[Thing]:
    """Find what is, or may be, the same work among things with names."""
    same: list[Thing] = []
    perhaps: list[tuple[int, Thing, str]] = []
    for thing in things:
        found = compare(title, name(thing))
        if found.sameness == "same":
            same.append(thing)
        elif found.sameness == "perhaps":
            perhaps.append((_points(said(title), said(name(thing))), thing, found.why))
    perhaps.sort(key=lambda one: (-one[0], name(one[1])))
    return Matches(tuple(same), tuple((thing, why) for _, thing, why in perhaps))


def _alike(a: Said, b: Said) -> str:
    """Why two lines may say the same; empty where nothing speaks for it."""
    shared = a.stems & b.stems
    least = min(len(a.stems), len(b.stems))
    if least and len(shared) * HALF >= least and (len(shared) >= HALF or len(shared) == least):
        return f"both are about {_listed(word for word in a.words if stems(frozenset((word,))) & shared)}"
    if a.stems and b.stems and _points(a, b) >= LIKE:
        return "they are spelt alike"
    return ""


def _other_party(a: Said, b: Said) -> bool:
    mine, theirs = a.details.get("parties", frozenset()), b.details.get("parties", frozenset())
    return bool(mine - theirs and theirs - mine)


def _points(a: Said, b: Said) -> int:
    from rapidfuzz import fuzz  # noqa: PLC0415 - only who compares loads it

    return int(fuzz.ratio(a.plain, b.plain))


def _listed(values: Iterable[str]) -> str:
    return ", ".join(sorted(values))
