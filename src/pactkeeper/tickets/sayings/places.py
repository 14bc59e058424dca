"""Claims by places and days of the week: where something has to stay, and on which days alone something happens."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pactkeeper.intent.calendar import WEEKDAYS
from pactkeeper.tickets.sayings.claims import Claim
from pactkeeper.tickets.sayings.topic import Topic
from pactkeeper.tickets.sayings.words import negates

# One line a region that excludes all others: its name, then what lies in it or is another name for it.
_REGIONS: Final = {
    word: line.split("|")[0]
    for line in (
        "eu|europe|european union|eea|germany|france|spain|italy|ireland|netherlands|austria|frankfurt|dublin|europa",
        "us|usa|united states|america|virginia|oregon",
        "uk|united kingdom|great britain|england|london",
        "switzerland|schweiz|suisse|zurich",
        "china|beijing|shanghai",
        "japan|tokyo",
        "india|mumbai",
        "canada|montreal|toronto",
        "australia|sydney",
    )
    for word in line.split("|")
}
_PLACE: Final = re.compile(
    r"\b(?:stays?|stored|hosted|kept|remains?|runs?|lives?|located|processed|deployed|bleiben|gespeichert)\s+"
    r"(?:only\s+)?(?:in(?:side)?|within|on servers in|at)\s+(?:the\s+)?"
    rf"(?P<region>{'|'.join(sorted(_REGIONS, key=len, reverse=True))})\b",
    re.IGNORECASE,
)
_WEEKDAY: Final = re.compile(rf"\b(?P<day>{'|'.join(WEEKDAYS)})s?\b", re.IGNORECASE)
_ONLY: Final = re.compile(r"\b(?:only|just|exclusively|nur|seulement|solo|sólo)\b", re.IGNORECASE)


def places(topic: Topic) -> Iterator[Claim]:
    """Where a saying keeps a thing; a place that it denies is no claim."""
    hit = _PLACE.search(topic.text)
    if hit and not negates(topic.text[: hit.start()]):
        region = _REGIONS[hit["region"].lower()]
        yield Claim("region", topic.about(hit.start()), topic.besides(*hit.span()), region)


def weekdays(topic: Topic) -> Iterator[Claim]:
    """The one day of the week that a saying names; `only` where it says that there is no other."""
    hits = list(_WEEKDAY.finditer(topic.text))
    if len(hits) != 1 or negates(topic.text[: hits[0].start()]):
        return
    only = "only " if _ONLY.search(topic.text) else ""
    about, whole = topic.about(hits[0].start()), topic.besides(*hits[0].span())
    yield Claim("weekday", about, whole, f"{only}{WEEKDAYS[hits[0]['day'].lower()]}")


def days_apart(one: str, other: str) -> bool:
    """Whether one of two days is the only one, and the other another."""
    return "only " in one + other and one.removeprefix("only ") != other.removeprefix("only ")
