"""The amounts that a clause gives, and whether those of two clauses exclude each other."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from pactkeeper.intent.amounts import Amount, amount
from pactkeeper.intent.wording.tables import table
from pactkeeper.transcripts.statements.words import stem

# Numbers only before a unit of measure.
_ONE: Final = table("one eine einer einen une una")
_AS_DIGITS: Final = {
    word: str(number)
    for words in (
        "two three four five six seven eight nine ten eleven twelve",
        "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
        "deux trois quatre cinq six sept huit neuf dix onze douze",
        "dos tres cuatro cinco seis siete ocho nueve diez once doce",
    )
    for number, word in enumerate(words.split(), start=2)
} | dict.fromkeys(_ONE, "1")
_ANY: Final = re.compile(rf"\d|\b(?:{'|'.join(_AS_DIGITS)})\b", re.IGNORECASE)
_AMOUNT: Final = re.compile(
    r"(?P<bound>(?:up to|at most|at least|no more than|not more than|less than|more than|under|over|max\.?|min\.?"
    r"|bis zu|höchstens|mindestens|maximal|au plus|au moins|hasta|al menos)\s+)?"
    r"(?<![\w#.,-])(?P<sign>[€$£]\s?)?"
    rf"(?P<number>\d+(?:[.,_'  ]\d{{3}})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)?|(?:{'|'.join(_AS_DIGITS)})\b)"
    r"(?P<thousand>k\b)?"
    r"(?:[\s-]?(?P<unit>°\s?[CF]\b|%|[€$£]|[^\W\d_]+))?",
    re.IGNORECASE,
)
# Versions, ranges and open ends.
_NO_AMOUNT: Final = re.compile(
    r"(?<![\w.])v?\d+(?:\.\d+){2,}\+?|[~≈]?\d+(?:[.,]\d+)?\s?(?:[-–]|to)\s?\d+(?:[.,]\d+)?|\d+(?:\.\d+)?\+"
)
_RELATIVE: Final = table("more less later earlier ago times mehr weniger später früher fois veces más menos")
_NO_UNIT: Final = table(
    "and or of in on at to for from by per is are as the a und oder von im am et ou de y o en a with"
)
_BEFORE: Final = re.compile(r"([^\W\d_]+) ?$")
# Words after which a number is said of something, and numbers nothing.
_LEADS: Final = table(
    "is are be of to at by or and than about only exactly with for in on has have had takes costs includes allows"
    " beträgt ist sind auf von mit hat haben à de est sont avec es son con a"
)
_YEAR: Final = re.compile(r"(?:19|20)\d\d")
_CLOCK: Final = re.compile(
    r"(?i)(?<![\w:])(?P<hour>\d{1,2})(?::(?P<minute>\d\d))? ?(?P<half>[ap]\.?m\b\.?|uhr\b|h(?=\d\d\b))?"
)
_MONTH: Final = Decimal(2629800)  # seconds
_NEAR: Final = Decimal("0.12")  # by which four weeks and a month differ


@dataclass(frozen=True, slots=True)
class Quantity:
    """An amount in its own words; `unit` is the stem of a noun that is no unit of measure."""

    text: str
    amount: Amount
    unit: str = ""


def amounts_in(text: str) -> tuple[tuple[Quantity, ...], frozenset[str], str]:
    """Every amount that a text gives, what is only numbered (`phase 2`), and the text without numbers.

    The nouns of what is counted stay in the text.
    """
    if not _ANY.search(text):
        return (), frozenset(), text
    labels: set[str] = set()
    rest = list(text)
    found = list(_clocks(text, rest))
    _blank(rest, _NO_AMOUNT.finditer("".join(rest)))
    for hit in _AMOUNT.finditer("".join(rest)):
        if named := _labelled(hit):
            labels.add(f"{stem(named)} {hit['number']}")
            continue
        quantity = _quantity(hit)
        if quantity is None:
            continue
        found.append(quantity)
        kept = bool(quantity.unit) or not hit["unit"] or hit["unit"].casefold() in _NO_UNIT
        end = hit.start("unit") if hit["unit"] and kept else hit.end()
        rest[hit.start() : end] = " " * (end - hit.start())
    return tuple(found), frozenset(labels), "".join(rest)


def _blank(rest: list[str], found: Iterable[re.Match[str]]) -> None:
    for hit in found:
        rest[hit.start() : hit.end()] = " " * len(hit[0])


def _clocks(text: str, rest: list[str]) -> Iterable[Quantity]:
    for hit in _CLOCK.finditer(text):
        if not hit["minute"] and not hit["half"]:
            continue
        half = (hit["half"] or "").casefold()
        hour = int(hit["hour"]) % 12 + 12 * half.startswith("p") if half[:1] in {"a", "p"} else int(hit["hour"])
        _blank(rest, (hit,))
        yield Quantity(hit[0].strip(), Amount(Decimal(hour * 60 + int(hit["minute"] or 0)), "clock"))


def _labelled(hit: re.Match[str]) -> str:
    """The word that a whole number without a unit follows and numbers; empty where it is said of something."""
    unit = (hit["unit"] or "").casefold()
    before = _BEFORE.search(hit.string[: hit.start()])
    plain = hit["number"].isdigit() and not hit["sign"] and not hit["bound"] and (not unit or unit in _NO_UNIT)
    return before[1].casefold() if plain and before and before[1].casefold() not in _LEADS else ""


def _quantity(hit: re.Match[str]) -> Quantity | None:
    number, unit = hit["number"].casefold(), (hit["unit"] or "").casefold()
    if unit in _RELATIVE or (_YEAR.fullmatch(number) and not hit["sign"] and (not unit or unit in _NO_UNIT)):
        return None
    digits = _AS_DIGITS.get(number, number).replace("_", "")
    plain = "" if unit in _NO_UNIT else unit.replace(" ", "")
    sign = (hit["sign"] or "").strip()
    measured = amount(f"{hit['bound'] or ''}{sign}{digits}{hit['thousand'] or ''} {'' if sign else plain}".strip())
    if measured is None or (number in _ONE and measured.dimension not in _MEASURES):
        return None
    text = " ".join((hit[0] if plain else hit[0][: hit.end("number") - hit.start()]).split())
    if plain and not sign and measured.dimension not in _MEASURES and plain[0] not in "°%€$£":
        return Quantity(text, replace(measured, dimension=stem(plain)), stem(plain))
    return None if number in _AS_DIGITS and not plain else Quantity(text, measured)


_MEASURES: Final = frozenset({"second", "month", "byte", "share", "euro", "dollar", "pound"})


def excluding(mine: Iterable[Quantity], theirs: Iterable[Quantity], *, limits: bool) -> tuple[str, str] | None:
    """The first two amounts of one kind that exclude each other where no two of that kind agree; None for none.

    `limits` says that a number without a bound is one all the same.
    """
    kept = tuple(theirs)
    for one in mine:
        same = [other for other in kept if _comparable(one, other)]
        if same and all(_excludes(one.amount, other.amount, limits=limits) for other in same):
            return one.text, same[0].text
    return None


def _comparable(one: Quantity, other: Quantity) -> bool:
    kinds = {"second" if each.amount.dimension == "month" else each.amount.dimension for each in (one, other)}
    return len(kinds) == 1 or ("" in kinds and bool(one.unit or other.unit))


def _excludes(one: Amount, other: Amount, *, limits: bool) -> bool:
    if {one.dimension, other.dimension} == {"second", "month"}:
        long, short = sorted((_seconds(one), _seconds(other)), reverse=True)
        return long - short > long * _NEAR
    if one.bound[0] == other.bound[0] or limits:
        return one.number != other.number
    fixed, bounded = (one, other) if one.bound == "=" else (other, one)
    if fixed.bound != "=":
        return False
    return fixed.number > bounded.number if bounded.bound[0] == "<" else fixed.number < bounded.number


def _seconds(one: Amount) -> Decimal:
    return one.number * (_MONTH if one.dimension == "month" else 1)
