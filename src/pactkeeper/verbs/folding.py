"""Answers that fit: what is too long in a document is cut, and what was cut is kept to be fetched piece by piece."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final

MOST: Final = 40_000  # characters of one answer; what clients warn about is about as long
PIECE: Final = 8_000  # characters of a text that is fetched at a time
_LEAST: Final = 100  # characters that every member may take


@dataclass(frozen=True, slots=True)
class Rest:
    """What was cut at a place of a document, a JSON pointer: members of a list or object, or pieces of a text."""

    at: str
    rows: Sequence[object]
    shown: int


@dataclass(slots=True)
class Folded:
    """A document that fits, with everything that was cut from it."""

    document: Any
    rests: list[Rest] = field(default_factory=list)


def size(value: object) -> int:
    """The characters of a value as JSON; what has no form in JSON yet counts by its text."""
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str))


def fold(document: Mapping[str, object], most: int = MOST) -> Folded:
    """The document cut to about `most` characters; small members stay whole, and the large ones share what is left."""
    folded = Folded(document)
    if size(document) > most:
        folded.document = _cut(document, most, "", folded.rests)
    return folded


def fitting(members: Sequence[object], most: int = MOST) -> int:
    """How many of the first members fit; at least one, where there is one."""
    left = most
    for count, one in enumerate(members):
        left -= size(one) + 1
        if left < 0:
            return max(count, 1)
    return len(members)


def _cut(value: Any, most: int, at: str, rests: list[Rest]) -> Any:  # noqa: ANN401 - any JSON value
    most = max(most, _LEAST)
    if size(value) <= most:
        return value
    if isinstance(value, str):
        return _cut_text(value, most, at, rests)
    if isinstance(value, Mapping):
        return _cut_object(value, most, at, rests)
    if isinstance(value, Sequence):
        return _cut_list(value, most, at, rests)
    return value


def _cut_text(text: str, most: int, at: str, rests: list[Rest]) -> str:
    kept = min(most - 2 if size(text[: most - 2]) <= most else most // 6, len(text) - 1)  # an escape has 6 characters
    rests.append(Rest(at, [text[a:b] for a, b in pairwise([*range(kept, len(text), PIECE), len(text)])], kept))
    return text[:kept]


def _cut_list(members: Sequence[object], most: int, at: str, rests: list[Rest]) -> list[object]:
    most -= 2
    count = fitting(members, most)
    if count < len(members):
        rests.append(Rest(at, members[count:], count))
    return [_cut(one, most, f"{at}/{position}", rests) for position, one in enumerate(members[:count])]


def _cut_object(members: Mapping[str, object], most: int, at: str, rests: list[Rest]) -> dict[str, object]:
    """Small members first: what they leave of their share is the larger ones'."""
    count = max(fitting([[name] for name in members], most), 1) if at else len(members)
    if count < len(members):
        rests.append(Rest(at, [{name: one} for name, one in list(members.items())[count:]], count))
        members = dict(list(members.items())[:count])
    cut: dict[str, object] = {}
    left, waiting = most - 2, len(members)
    for name, one in sorted(members.items(), key=lambda member: size(member[1])):
        place = f"{at}/{name.replace('~', '~0').replace('/', '~1')}"
        cut[name] = _cut(one, (left // waiting) - len(name) - 4, place, rests)
        left, waiting = left - size(cut[name]) - len(name) - 4, waiting - 1
    return {name: cut[name] for name in members}
