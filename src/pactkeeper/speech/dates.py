"""Days that people name: by date, month, weekday or quarter, and whether on, until or from that day."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final, Literal

from pactkeeper.speech.languages import either, numbered, phrases_of, words_of

Side = Literal["on", "until", "from"]
_ISO: Final = re.compile(r"(?<!\d)(?P<year>20\d\d)-(?P<month>\d\d)(?:-(?P<day>\d\d))?(?!\d)")
_DOTTED: Final = re.compile(r"(?<![\d.])(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>20\d\d)?(?!\d)")
_SLASHED: Final = re.compile(r"(?<![\d/])(?P<day>1[3-9]|2\d|3[01])/(?P<month>0?[1-9]|1[0-2])/(?P<year>20\d\d)(?![\d/])")
_QUARTER: Final = re.compile(r"\bq(?P<quarter>[1-4])\b(?:\s+(?P<year>20\d\d))?")
_BEFORE: Final = 24
_SHORT: Final = 3  # letters of `sat` and `sun`, which are also ordinary words


@dataclass(frozen=True, slots=True)
class Date:
    """A day as far as it is named; unnamed parts are 0. `[start, end)` is its position.

    `part` is the part of a month that is meant: `end of`. `turned` means that a preceding negation determined its side:
    `not before 1 March`.
    """

    year: int = 0
    month: int = 0
    day: int = 0
    weekday: int = 0
    quarter: int = 0
    side: Side = "on"
    turned: bool = False
    start: int = 0
    end: int = 0
    part: str = ""

    @property
    def in_quarter(self) -> int:
        """The quarter that is named or that its month is in; 0 if neither is named."""
        return self.quarter or (self.month + 2) // 3

    @property
    def exactness(self) -> tuple[bool, bool, bool, bool, str]:
        """Which of its parts are named, and the part of a month."""
        return bool(self.day), bool(self.month), bool(self.weekday), bool(self.quarter), self.part


@lru_cache(maxsize=8192)
def dates_in(text: str) -> tuple[Date, ...]:
    """Return every day named in a lower-case text, in order."""
    found: list[Date] = []
    for one in sorted(_dates(text), key=lambda date: (date.start, -date.end)):
        if not found or one.start >= found[-1].end:
            found.append(one)
    named = any(one.day for one in found)  # the weekday of a named day adds nothing
    return tuple(one for one in found if one.day or not one.weekday or not named)


def apart(one: Date, other: Date) -> bool:
    """Whether one thing cannot happen on both days; days named by different parts may be the same."""
    order = _order(one, other)
    if order == 0:
        return False
    if one.side == other.side:
        return True
    if "on" not in {one.side, other.side}:
        until, start = (one, other) if one.side == "until" else (other, one)
        return _order(until, start) < 0
    fixed, bounded = (one, other) if one.side == "on" else (other, one)
    return _order(fixed, bounded) > 0 if bounded.side == "until" else _order(fixed, bounded) < 0


def as_exact(one: Date, other: Date) -> bool:
    """Whether both name the same parts of a day, with any values; one without a year means the next."""
    return one.exactness == other.exactness


def _order(one: Date, other: Date) -> int:
    """Compare by the parts that both name: below 0, 0 if none distinguishes them, above 0."""
    if one.weekday and other.weekday and not (one.day and other.day):
        return one.weekday - other.weekday
    if bool(one.quarter) != bool(other.quarter):
        both_known = one.in_quarter and other.in_quarter
        return one.in_quarter - other.in_quarter if both_known else 0
    pairs = ((one.year, other.year), (one.quarter, other.quarter), (one.month, other.month), (one.day, other.day))
    for mine, theirs in pairs:
        if mine and theirs and mine != theirs:
            return mine - theirs
    return 0


def _dates(text: str) -> Iterator[Date]:
    for pattern in (_ISO, _DOTTED, _SLASHED, _QUARTER, *_named()):
        for hit in pattern.finditer(text):
            date = _date(hit, text)
            if date is not None:
                yield date


def _date(hit: re.Match[str], text: str) -> Date | None:
    parts = {name: value for name, value in hit.groupdict().items() if value}
    month = parts.get("name", "")
    number = numbered("months").get(month, 0) if month else int(parts.get("month", 0))
    weekday = numbered("weekdays").get(parts.get("weekday", ""), 0)
    day = int(parts.get("day", 0))
    if number > 12 or day > 31:  # noqa: PLR2004 - as calendars have it
        return None
    year, quarter = int(parts.get("year", 0)), int(parts.get("quarter", 0))
    start = hit.start("part") if parts.get("part") else hit.start("name") if month and not day else hit.start()
    side, turned = _side(text[max(0, start - _BEFORE) : start])
    place = (start, hit.end())
    return Date(year, number, day, weekday, quarter, side, turned, *place, parts.get("part", ""))


def _side(before: str) -> tuple[Side, bool]:
    """Return the side of a day that the words before it mean, and whether a negation determines it."""
    words = before.split()
    ends = [before.rstrip()]
    while words and words[-1] in words_of("date_links"):
        words.pop()
        ends.append(" ".join(words))
    for at, (side, pattern) in enumerate(_sides()):
        if any(map(pattern.search, ends)):
            return side, at == 0
    return "on", False


@cache
def _sides() -> tuple[tuple[Side, re.Pattern[str]], ...]:
    nots, before = either(words_of("negations")), either(phrases_of("before"))
    turned = re.compile(rf"(?:(?<!\w)(?:{nots})|n't)\s(?:\S+\s){{0,2}}(?:{before})$")
    since, until = (re.compile(rf"(?:^|\s)(?:{either(phrases_of(row))})$") for row in ("since", "until"))
    return (("from", turned), ("from", since), ("until", until))


@cache
def _named() -> tuple[re.Pattern[str], ...]:
    months = either(name for name in numbered("months") if name != "mar")
    weekdays = either(name for name in numbered("weekdays") if len(name) > _SHORT)
    links, parts = either(words_of("date_links")), either(phrases_of("month_parts"))
    year = rf"(?:,?\s+(?:(?:{links})\s+)?(?P<year>20\d\d))?(?!\d)"
    return (
        re.compile(rf"(?<![\w.])(?P<day>\d{{1,2}})(?:{links}|\.)?\s+(?:(?:{links})\s+)?(?P<name>{months})\b\.?{year}"),
        re.compile(
            rf"\b(?P<name>{months})\b\.?\s+(?P<day>\d{{1,2}})(?:{links})?(?![\d%])(?!\s?(?:%|users|items)){year}"
        ),
        re.compile(
            rf"(?<!\w)(?:d'|(?:{either(words_of('month_leads'))}|(?P<part>{parts}))\s+)(?P<name>{months})\b{year}"
        ),
        re.compile(rf"\b(?P<weekday>{weekdays})(?:s|en)?\b"),
    )
