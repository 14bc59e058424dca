"""Values that people write for the same thing in many ways: durations, sizes, money, shares, counts and truths."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Final, Literal

from pactkeeper.intent.wording.tables import table

Relation = Literal["same", "compatible", "contradict"]
Bound = Literal["=", "<", "<=", ">", ">="]

# One line a unit: the dimension, what one of it is in the dimension's own unit, and how people write it.
_UNITS: Final = """
    second 0.001 ms msec millisecond milliseconds millisekunden
    second 1 s sec secs second seconds sekunde sekunden seconde secondes segundo segundos
    second 60 min mins minute minutes minuten minuto minutos
    second 3600 h hr hrs hour hours stunde stunden heure heures hora horas
    second 86400 d day days tag tage tagen jour jours día días dia dias
    second 604800 w week weeks woche wochen semaine semaines semana semanas
    month 1 month months monat monate monaten mois mes meses
    month 12 y yr yrs year years jahr jahre jahren an ans année années año años
    byte 1 b byte bytes octet octets
    byte 1000 kb
    byte 1000000 mb mo
    byte 1000000000 gb go
    byte 1000000000000 tb
    byte 1024 kib
    byte 1048576 mib
    byte 1073741824 gib
    share 1 % percent prozent pct
    euro 1 € eur euro euros
    dollar 1 $ usd dollar dollars
    pound 1 £ gbp pound pounds
"""
_DIMENSIONS: Final[Mapping[str, tuple[str, Decimal]]] = {
    word: (row[0], Decimal(row[1]))
    for line in _UNITS.strip().splitlines()
    for row in [line.split()]
    for word in row[2:]
}
_AT_MOST: Final = (
    "at most|up to|no more than|not more than|maximum(?: of)?|max|within|no longer than|höchstens|maximal|bis zu"
    "|au plus|au maximum|como máximo|máximo|hasta"
)
_AT_LEAST: Final = (
    "at least|no less than|not less than|no fewer than|minimum(?: of)?|min|mindestens|wenigstens|au moins|al menos"
    "|por lo menos|mínimo"
)
_LESS: Final = "less than|under|below|fewer than|shorter than|unter|weniger als|moins de|menos de"
_MORE: Final = "more than|over|above|longer than|über|mehr als|plus de|más de"
_BOUNDS: Final[tuple[tuple[Bound, re.Pattern[str]], ...]] = (
    ("<=", re.compile(rf"(?:<=|≤|(?:{_AT_MOST})\b\.?)\s*")),
    (">=", re.compile(rf"(?:>=|≥|(?:{_AT_LEAST})\b\.?)\s*")),
    ("<", re.compile(rf"(?:<|(?:{_LESS})\b)\s*")),
    (">", re.compile(rf"(?:>|(?:{_MORE})\b)\s*")),
)
# Right behind a number `min` is a unit.
_AFTER: Final = re.compile(
    r"\s*\b(max|maximum|(?<!\d)(?<!\d\s)min|minimum|or less|or more|oder weniger|oder mehr)\b\.?$", re.IGNORECASE
)
_AFTER_BOUND: Final[Mapping[str, Bound]] = {
    "max": "<=", "maximum": "<=", "or less": "<=", "oder weniger": "<=",
    "min": ">=", "minimum": ">=", "or more": ">=", "oder mehr": ">=",
}  # fmt: skip
_NUMBER: Final = re.compile(
    r"""(?P<sign>[€$£])?\s*
    (?P<number>\d+(?:[.,' ]\d{3})*(?:[.,]\d+)?)\s*
    (?P<thousand>k\b)?\s*[-–]?\s*
    (?P<unit>[^\W\d_]+|[%€$£])?\s*
    (?P<rest>.*)""",
    re.VERBOSE,
)
_SPELT: Final[Mapping[str, str]] = {
    word: str(number)
    for line in (
        "zero one two three four five six seven eight nine ten eleven twelve",
        "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    )
    for number, word in enumerate(line.split())
} | {"fifteen": "15", "twenty": "20", "thirty": "30", "sixty": "60", "ninety": "90"}
_TRUE: Final = table("yes true on enabled required mandatory ja oui sí si vrai allowed")
_FALSE: Final = table("no false off disabled optional nein non faux forbidden none")


@dataclass(frozen=True, slots=True)
class Amount:
    """A number of a dimension's own unit (`second`, `byte`, …; a count has its noun), and which side of it is meant."""

    number: Decimal
    dimension: str
    bound: Bound = "="


@lru_cache(maxsize=4096)
def amount(text: str) -> Amount | None:
    """Read a text that says one amount and nothing else; None for any other."""
    bound, bare = _bound(" ".join(_plain(text).split()))
    first, _, rest = bare.partition(" ")
    found = _NUMBER.fullmatch(f"{_SPELT.get(first, first)} {rest}".strip())
    if found is None:
        return None
    unit = found["sign"] or found["unit"] or ""
    tail = f"{found['unit']} {found['rest']}".strip() if found["sign"] and found["unit"] else found["rest"].strip()
    number = _decimal(found["number"]) * (1000 if found["thousand"] else 1)
    if unit in _DIMENSIONS:
        dimension, factor = _DIMENSIONS[unit]
        return Amount(number * factor, dimension, bound) if not tail or tail in _DIMENSIONS else None
    return Amount(number, _singular(f"{unit} {tail}".strip()), bound) if len(tail.split()) <= 1 else None


def relation(one: str, other: str) -> Relation:
    """How two values of one thing stand to each other; values that are no amounts contradict unless they are the same.

    Two amounts go together where one number can be both and they do not name two different limits of one side.
    """
    if same_text(one, other):
        return "same"
    ours, theirs = amount(one), amount(other)
    if ours is None or theirs is None:
        return "same" if _truth(one) is not None and _truth(one) == _truth(other) else "contradict"
    if "" in {ours.dimension, theirs.dimension}:
        theirs = Amount(theirs.number, ours.dimension, theirs.bound)
    if ours == theirs:
        return "same"
    if ours.dimension != theirs.dimension or ours.bound[0] == theirs.bound[0]:
        return "contradict"
    return "compatible" if _overlap(ours, theirs) else "contradict"


def same_text(one: str, other: str) -> bool:
    """Whether two texts are the same but for letter case, white space, quotation marks and the final mark."""
    return _bare(one) == _bare(other)


@lru_cache(maxsize=8192)
def _bare(text: str) -> str:
    return " ".join(_plain(text).split()).strip(" \"'`“”„‘’*_.!;,")


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _bound(text: str) -> tuple[Bound, str]:
    for bound, pattern in _BOUNDS:
        if hit := pattern.match(text):
            return bound, text[hit.end() :]
    if hit := _AFTER.search(text):
        return _AFTER_BOUND[hit[1].lower()], text[: hit.start()]
    return "=", text


def _decimal(text: str) -> Decimal:
    """A number as people write it: a mark before exactly three digits groups, any other one is the decimal mark."""
    groups = re.fullmatch(r"\d{1,3}(?:[.,' ]\d{3})+", text)
    plain = re.sub(r"[.,' ]", "", text) if groups else text.replace(" ", "").replace("'", "").replace(",", ".")
    return Decimal(plain) if plain.count(".") <= 1 else Decimal(re.sub(r"[.,' ](?=.*[.,])", "", text).replace(",", "."))


def _singular(noun: str) -> str:
    return noun[:-1] if noun.endswith("s") and not noun.endswith("ss") else noun


def _truth(text: str) -> bool | None:
    word = _bare(text)
    return True if word in _TRUE else False if word in _FALSE else None


def _overlap(one: Amount, other: Amount) -> bool:
    """Whether a number is on both sides: one of them is a fixed number, or they bound from below and from above."""
    fixed, bounded = (one, other) if one.bound == "=" else (other, one)
    if fixed.bound == "=":
        return _holds(fixed.number, bounded)
    low, high = (one, other) if one.bound[0] == ">" else (other, one)
    return low.number < high.number or (low.number == high.number and "=" in low.bound and "=" in high.bound)


def _holds(number: Decimal, bounded: Amount) -> bool:
    sides = {
        "=": number == bounded.number,
        "<": number < bounded.number,
        "<=": number <= bounded.number,
        ">": number > bounded.number,
        ">=": number >= bounded.number,
    }
    return sides[bounded.bound]
