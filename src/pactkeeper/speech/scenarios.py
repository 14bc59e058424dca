"""Scenarios in the steps of Gherkin: each is one statement of what is to be seen."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from pactkeeper.speech.languages import phrases_of
from pactkeeper.speech.spans import TextLine

_MOST: Final = 60  # steps of a scenario


@dataclass(frozen=True, slots=True)
class Steps:
    """A scenario in lines `[first, last)` of a message; `text` are its steps, without its title."""

    first: int
    last: int
    text: str


def scenario_at(lines: Sequence[TextLine], at: int) -> Steps | None:
    """The scenario that begins with a line; None where none does. A title without steps is none."""
    first = at
    while first < len(lines) and (
        _title().fullmatch(lines[first].text) or (first > at and lines[first].kind == "blank")
    ):
        first += 1
    if first >= len(lines) or not (_starts("given", lines[first].text) or _starts("when", lines[first].text)):
        return None
    last, ended = first, False
    while last < min(len(lines), first + _MOST) and (word := _step(lines[last].text)):
        if ended and word in {"given", "when"}:
            break
        ended, last = ended or word == "then", last + 1
    if not ended or last - first < 2:  # noqa: PLR2004 - a condition and what follows from it
        return None
    return Steps(at, last, " ".join(line.text for line in lines[first:last]))


def is_scenario(text: str, *, capital: bool = False) -> bool:
    """Whether one sentence has all steps of a scenario in it, each with a `capital` where that is asked for."""
    return _whole(capital=capital).fullmatch(text.strip()) is not None


def _step(text: str) -> str:
    return next((name for name in ("given", "when", "then", "also") if _starts(name, text)), "")


def _starts(name: str, text: str) -> bool:
    return _steps(name).match(text.lstrip("*_ ")) is not None


@cache
def _steps(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{_any(name, capital=True)})(?:[*_]{{0,2}},?)\s+\S")


def _any(name: str, *, capital: bool) -> str:
    found = phrases_of(name)
    return "|".join(re.escape(one[:1].upper() + one[1:] if capital else one).replace(r"\ ", r"\s+") for one in found)


@cache
def _title() -> re.Pattern[str]:
    names = "|".join(re.escape(one).replace(r"\ ", r"\s+") for one in phrases_of("scenarios"))
    return re.compile(rf"[*_]{{0,2}}(?:{names})[*_]{{0,2}}\s*:.*", re.IGNORECASE)


@cache
def _whole(*, capital: bool) -> re.Pattern[str]:
    given, when, then = (_any(name, capital=capital) for name in ("given", "when", "then"))
    whole = rf"(?:{given})\s[^\n]{{1,300}}?\b(?:{when})\s[^\n]{{1,300}}?\b(?:{then})\s[^\n]+"
    return re.compile(whole, re.NOFLAG if capital else re.IGNORECASE)
