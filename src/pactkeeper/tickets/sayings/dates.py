"""Claims by dates: before, by, on, from and after a day or a month, of a beginning or of an end."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from pactkeeper.intent.calendar import MONTHS
from pactkeeper.tickets.sayings.claims import ENDLESS, Claim, Range
from pactkeeper.tickets.sayings.topic import Topic
from pactkeeper.tickets.sayings.words import negates

_MONTH: Final = rf"(?:{'|'.join(sorted(MONTHS, key=len, reverse=True))})"
_WHEN: Final = (
    r"(?P<not>not (?:start |happen |begin )?|frühestens )?\b(?:(?P<before>before|vor dem|avant le|antes del)"
    r"|(?P<by>by|until|no later than|due(?: on)?|bis(?: zum)?|spätestens(?: am)?|d'ici le|hasta el)"
    r"|(?P<after>after|nach dem|après le|después del)|(?P<from>from|starting|ab(?: dem)?|à partir du|a partir del)"
    r"|(?P<on>on|is|in|am|im|le|el))\s+(?:the\s+)?"
)
_DAY: Final = re.compile(
    rf"{_WHEN}(?:(?P<iso>\d{{4}}-\d{{2}}-\d{{2}})\b"
    rf"|(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.)?\s+(?:of\s+|de\s+)?(?P<month>{_MONTH})\b\.?(?:\s+(?P<year>\d{{4}}))?"
    rf"|(?P<month2>{_MONTH})\b\.?(?:\s+(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?\b)?(?:,?\s+(?P<year2>\d{{4}}))?)",
    re.IGNORECASE,
)
_BEGINS: Final = re.compile(r"\b(?:start|begin|begins|opens?|launch|beginnt|startet|commence|empieza)", re.IGNORECASE)
_ENDS: Final = re.compile(
    r"\b(?:finish|ends?\b|clos|done|complet|due|deadline|fertig|endet|termin|acaba)", re.IGNORECASE
)
_YEAR: Final = 12 * 31


def dates(topic: Topic) -> Iterator[Claim]:
    """The claims by dates of a saying; days without a year are held against each other as days of one year."""
    for hit in _DAY.finditer(topic.text):
        found = _days(hit)
        if found is None:
            continue
        years, (first, last) = found
        says = _range(hit, Decimal(first), Decimal(last), topic)
        yield Claim(f"{_side(topic.text)}{years}", topic.about(hit.start()), topic.around(*hit.span()), says)


def _side(text: str) -> str:
    """Which end of a thing a date is of; a launch is a beginning, too."""
    return "date of the end" if _ENDS.search(text) else "date of the beginning" if _BEGINS.search(text) else "date"


def _days(hit: re.Match[str]) -> tuple[str, tuple[int, int]] | None:
    """Whether a year is said, and the first and last day that are meant; None where there is no such day."""
    if hit["iso"]:
        year, month, day = (int(part) for part in hit["iso"].split("-"))
    else:
        year = int(hit["year"] or hit["year2"] or 0)
        month = MONTHS[(hit["month"] or hit["month2"]).lower()]
        day = int(hit["day"] or hit["day2"] or 0)
    if not 1 <= month <= 12 or day > 31:  # noqa: PLR2004 - months of a year, days of a month
        return None
    first = year * _YEAR + month * 31
    return " with its year" if year else "", (first + (day or 1), first + (day or 31))


def _range(hit: re.Match[str], first: Decimal, last: Decimal, topic: Topic) -> Range:
    start, end = Decimal(0), ENDLESS
    negated = bool(hit["not"]) or negates(topic.text[topic.verb : hit.start()])
    if hit["before"] or hit["by"]:
        end = first - 1 if hit["before"] else last
        return Range(end + 1, ENDLESS) if negated else Range(start, end)
    if hit["after"] or hit["from"]:
        start = last + 1 if hit["after"] else first
        return Range(Decimal(0), start - 1) if negated else Range(start, end)
    return Range(first, last)
