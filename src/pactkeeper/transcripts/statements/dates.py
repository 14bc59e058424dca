"""Dates as people write them, and whether two of them can be one day."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from typing import Final

from pactkeeper.intent.calendar import MONTHS, WEEKDAYS

# In lower case these are other words.
_CAPITAL: Final = frozenset({"may", "march", "mar", "jan", "dec", "sep", "oct", "nov", "jun", "jul", "aug", "apr"})


def _month(group: str) -> str:
    return rf"(?P<{group}>{'|'.join(sorted(MONTHS, key=len, reverse=True))})"


def _year(group: str) -> str:
    return rf"(?:,? (?P<{group}>(?:19|20)\d\d))?"


_DATE: Final = re.compile(
    r"(?<![\w-])(?:(?P<iso>(?:19|20)\d\d-\d\d(?:-\d\d)?)"
    r"|(?P<dotted>\d{1,2}\.\d{1,2}\.(?:\d{4}|\d\d)?)"
    rf"|{_month('month')}\.? (?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?!\d|[.,]\d){_year('year')}"
    rf"|(?P<day2>\d{{1,2}})(?:st|nd|rd|th|\.|er)? (?:of |de )?{_month('month2')}\b{_year('year2')}"
    rf"|{_month('month3')}\b{_year('year3')}"
    r"|[Qq](?P<quarter>[1-4])(?: (?P<year4>(?:19|20)\d\d))?"
    r"|(?:(?:until|by|bis) )?(?:the )?(?:end of|ende|fin|finales de) (?P<year5>(?:19|20)\d\d)"
    rf"|(?P<weekday>{'|'.join(WEEKDAYS)})s?)(?!\w)",
    re.IGNORECASE,
)
# A cheap look for anything that a date may begin with.
_DATED: Final = re.compile(
    rf"\d|(?<!\w)(?:{'|'.join(sorted({word[:3] for word in (*MONTHS, *WEEKDAYS)}))}|q[1-4]|end|fin)", re.IGNORECASE
)
# A date after these says from when on something holds, not what is on that day.
_FROM: Final = re.compile(
    r"(?i)(?<!\w)(?:from|since|as of|starting|ab|seit|dès|depuis|à partir du?|desde|a partir de)\s+$"
)


@dataclass(frozen=True, slots=True)
class Date:
    """A date as far as it is said; 0 where a part is not. Days of the week count from 1."""

    text: str
    year: int = 0
    month: int = 0
    day: int = 0
    weekday: int = 0
    quarter: int = 0

    def excludes(self, other: Date) -> bool:
        """Whether both say the same part differently."""
        return any(a and b and a != b for a, b in zip(self._parts(), other._parts(), strict=True))

    def fits(self, other: Date) -> bool:
        """Whether both say some part alike and none differently."""
        pairs = zip(self._parts(), other._parts(), strict=True)
        return not self.excludes(other) and any(a and a == b for a, b in pairs)

    def _parts(self) -> tuple[int, int, int, int, int]:
        quarter = self.quarter or (self.month + 2) // 3
        return self.year, self.month, self.day, self.weekday, quarter


def apart(mine: Iterable[Date], theirs: Iterable[Date]) -> bool:
    """Whether some dates of two sides exclude each other and none are the same."""
    pairs = tuple(product(mine, theirs))
    return any(a.excludes(b) for a, b in pairs) and not any(a.fits(b) for a, b in pairs)


def dates_in(text: str) -> tuple[tuple[Date, ...], str]:
    """Every date that a text gives for something, and the text without any date."""
    if not _DATED.search(text):
        return (), text
    found: list[Date] = []
    for one in _DATE.finditer(text):
        date = _date(one)
        if date is not None and not _FROM.search(text[: one.start()]):
            found.append(date)
    rest = _DATE.sub(lambda one: " " if _date(one) else one[0], text)
    return tuple(found), rest


def _date(found: re.Match[str]) -> Date | None:
    part = found.groupdict()
    if iso := part["iso"]:
        return Date(found[0], *(int(one) for one in iso.split("-")))
    if dotted := part["dotted"]:
        day, month, year = (*dotted.split("."), "")[:3]
        return Date(found[0], int(year) + 2000 * (len(year) == 2) if year else 0, int(month), int(day))  # noqa: PLR2004
    if weekday := part["weekday"]:
        return Date(found[0], weekday=WEEKDAYS[weekday.casefold()])
    year = int(part["year"] or part["year2"] or part["year3"] or part["year4"] or 0)
    if part["year5"]:
        return Date(found[0], int(part["year5"]))
    if part["quarter"]:
        return Date(found[0], year, quarter=int(part["quarter"]))
    month = part["month"] or part["month2"] or part["month3"]
    if month.casefold() in _CAPITAL and month[0].islower():
        return None
    return Date(found[0], year, MONTHS[month.casefold()], int(part["day"] or part["day2"] or 0))
