"""Whether two lines name the same work: fields decide, likeness only says that somebody should be asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Generic, Literal, TypeVar

from pactkeeper.transcripts.reconciling.saying import LineFields, said, stems

Sameness = Literal["same", "different", "perhaps", "unrelated"]
LIKE: Final = 85  # of 100 points of likeness
MANY: Final = 2  # words that say something
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
    if a.words and a.key == b.key:
        return Comparison("same", "the same words and details")
    if shared := a.details.get("ids", frozenset()) & b.details.get("ids", frozenset()):
        return Comparison("perhaps", f"both name {_listed(shared)}")
    return Comparison("perhaps", alike) if alike else Comparison("unrelated", "they share no words that say much")


def matches(title: str, things: Iterable[Thing], name: Callable[[Thing], str]) -> Matches[Thing]:
    """Find what is, or may be, the same work among things with names."""
    known = tuple(things)
    names = tuple(map(name, known))
    same: list[Thing] = []
    perhaps: list[tuple[int, Thing, str]] = []
    for position in _candidates(said(title), names):
        found = compare(title, names[position])
        if found.sameness == "same":
            same.append(known[position])
        elif found.sameness == "perhaps":
            perhaps.append((_points(said(title), said(names[position])), known[position], found.why))
    perhaps.sort(key=lambda one: (-one[0], name(one[1])))
    return Matches(tuple(same), tuple((thing, why) for _, thing, why in perhaps))


def _candidates(wanted: LineFields, names: tuple[str, ...]) -> list[int]:
    """The positions of all names that are not certainly unrelated, in order."""
    from rapidfuzz import fuzz, process  # noqa: PLC0415 - only who compares loads it

    index, plains = _index(names)
    ids = wanted.details.get("ids", frozenset())
    found = {position for word in (*wanted.stems, *wanted.words, *ids) for position in index.get(word, ())}
    hits = process.extract(wanted.plain, plains, scorer=fuzz.ratio, score_cutoff=LIKE, limit=None)
    return sorted(found | {position for _, _, position in hits})


@lru_cache(maxsize=64)
def _index(names: tuple[str, ...]) -> tuple[Mapping[str, list[int]], tuple[str, ...]]:
    """Positions by stem, word and id, and the plain form of every name."""
    found: dict[str, list[int]] = {}
    for position, name in enumerate(names):
        line = said(name)
        for word in {*line.stems, *(line.words if not line.stems else ()), *line.details.get("ids", ())}:
            found.setdefault(word, []).append(position)
    return found, tuple(said(name).plain for name in names)


def _alike(a: LineFields, b: LineFields) -> str:
    """Why two lines may say the same; empty where nothing speaks for it."""
    shared = a.stems & b.stems
    least = min(len(a.stems), len(b.stems))
    if shared and len(shared) * 3 >= least * 2 and (len(shared) >= MANY or len(shared) == least):
        return f"both are about {_listed(word for word in a.words if stems(frozenset((word,))) & shared)}"
    if a.stems and b.stems and _points(a, b) >= LIKE:
        return "they are spelt alike"
    return ""


def _other_party(a: LineFields, b: LineFields) -> bool:
    mine, theirs = a.details.get("parties", frozenset()), b.details.get("parties", frozenset())
    return bool(mine - theirs and theirs - mine)


def _points(a: LineFields, b: LineFields) -> int:
    from rapidfuzz import fuzz  # noqa: PLC0415 - only who compares loads it

    return int(fuzz.ratio(a.plain, b.plain))


def _listed(values: Iterable[str]) -> str:
    return ", ".join(sorted(values))
