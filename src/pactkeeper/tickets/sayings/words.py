"""A saying in any language as the words that carry meaning, its amounts, and whether it negates."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from pactkeeper.intent.amounts import amount
from pactkeeper.intent.conflicts.opposites import stem
from pactkeeper.intent.wording.tables import table

_AMOUNT: Final = re.compile(
    r"(?:\b(?:at most|at least|up to|no more than|not more than|more than|less than|fewer than|under|over|within"
    r"|max\.?|min\.?|höchstens|mindestens|au plus|au moins|como máximo|al menos)\s+)?"
    r"[€$£]?\s?\b\d[\d.,]*\s?(?:%|€|\$|£|[^\W\d_]+)?",
    re.IGNORECASE,
)
EMPTY: Final = table(
    "a an the of to in on at for per is are be been must should shall will can may has have it its their der die das "
    "ein eine le la les un une des el los las una de du im am zu"
)
NEGATIONS: Final = table(
    "not no never cannot without nicht kein keine keinen nie ne pas jamais aucun aucune nunca sin ni"
)
_NUMBER: Final = re.compile(r"(?:.*?\s)?[€$£]?\s?\d[\d.,]*\s?(?:%|€|\$|£)?")
_DIGIT: Final = re.compile(r"\d")
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
KNOWN: Final = frozenset({"second", "month", "byte", "share", "euro", "dollar", "pound"})


@dataclass(frozen=True, slots=True)
class Words:
    """A saying as its words that carry meaning, without amounts and negations, and as its amounts."""

    stems: frozenset[str]
    amounts: tuple[str, ...]
    negated: bool


@lru_cache(maxsize=65_536)  # a pact has that many sentences, and each is held against every criterion
def words_of(text: str) -> Words:
    """Read a saying in any language: its stems, amounts and whether it negates."""
    found = tuple(_amounts(text))
    cuts = [0, *(place for one in found for place in (one.start, one.end)), len(text)]
    bare = " ".join(text[start:end] for start, end in zip(cuts[::2], cuts[1::2], strict=True))
    return Words(stems_of(bare), tuple(one.said for one in found), negates(bare))


def stems_of(text: str) -> frozenset[str]:
    """The stems of the words of a text that carry meaning; negations are none."""
    words = _WORD.findall(text.casefold())
    return frozenset(stem_of(word) for word in words if word not in EMPTY and not _negates(word))


def negates(text: str) -> bool:
    """Whether a text has a word that negates, in any of the languages that rules read."""
    return any(_negates(word) for word in _WORD.findall(text.casefold()))


def _negates(word: str) -> bool:
    return word in NEGATIONS or word.endswith(("n't", "n’t"))


def stem_of(word: str) -> str:
    """The word that stands for all forms of a word in lower case; plurals of other languages lose their `s` as well."""
    found = stem(word)
    return found[:-1] if found.endswith("s") and len(found) > 3 and not found.endswith("ss") else found  # noqa: PLR2004 - shorter ones are no plurals


@dataclass(frozen=True, slots=True)
class _Amount:
    start: int
    end: int
    said: str


def _amounts(text: str) -> Iterator[_Amount]:
    for hit in _AMOUNT.finditer(text) if _DIGIT.search(text) else ():
        said = hit.group().strip()
        known = amount(said)
        if known is None or known.dimension not in KNOWN:
            number = _NUMBER.match(said)
            said = number.group().strip(" .,") if number else ""
        if said:
            start = hit.start() + hit.group().index(said)
            yield _Amount(start, start + len(said), said)
