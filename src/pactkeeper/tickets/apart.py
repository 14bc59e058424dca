"""Whether two sayings cannot both hold: by their sentences, or by the amounts that they give to the same thing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from pactkeeper.intent.amounts import amount, relation
from pactkeeper.intent.conflicts.comparing import compare
from pactkeeper.intent.conflicts.opposites import are_opposite, stem
from pactkeeper.intent.conflicts.sentences import Sentence
from pactkeeper.intent.reading.opposite import stated
from pactkeeper.intent.wording.tables import table

_AMOUNT: Final = re.compile(
    r"(?:\b(?:at most|at least|up to|no more than|not more than|more than|less than|fewer than|under|over|within"
    r"|max\.?|min\.?|höchstens|mindestens|au plus|au moins|como máximo|al menos)\s+)?"
    r"[€$£]?\s?\b\d[\d.,]*\s?(?:%|€|\$|£|[^\W\d_]+)?",
    re.IGNORECASE,
)
_EMPTY: Final = table(
    "a an the of to in on at for per is are be been must should shall will can may has have it its their der die das "
    "ein eine le la les un une des el los las una de du im am zu"
)
_NEGATIONS: Final = table(
    "not no never cannot without nicht kein keine keinen nie ne pas jamais aucun aucune nunca sin ni"
)
_DIGIT: Final = re.compile(r"\d")
_FEWEST: Final = 2
_FAR: Final = 2  # words that only one of two sentences has; more of them, and they speak of different things


@dataclass(frozen=True, slots=True)
class Words:
    """A saying as its words that carry meaning, without amounts and negations, and as its amounts."""

    stems: frozenset[str]
    amounts: tuple[str, ...]
    negated: bool


def contradicts(one: str, other: str) -> bool:
    """Whether two sentences deny each other; said in any language where only amounts or a negation tell them apart."""
    ours, theirs = words_of(one), words_of(other)
    if len(ours.stems ^ theirs.stems) > _FAR:
        return False
    if _by_sentences(one, other):
        return True
    if ours.stems != theirs.stems:
        return _one_opposite(ours, theirs)
    if len(ours.stems) < _FEWEST:
        return False
    if ours.negated != theirs.negated:
        return True
    return amounts_apart(ours, theirs)


def _by_sentences(one: str, other: str) -> bool:
    compared = compare(_sentence(one), _sentence(other))
    return compared is not None and compared.relation == "contradiction"


@lru_cache(maxsize=4096)
def _sentence(text: str) -> Sentence:
    return Sentence(stated(text))


def _one_opposite(ours: Words, theirs: Words) -> bool:
    """Whether one word of each tells them apart, and the two exclude each other."""
    mine, other = ours.stems - theirs.stems, theirs.stems - ours.stems
    if len(mine) != 1 or len(other) != 1 or len(ours.stems) < _FEWEST + 1 or ours.negated != theirs.negated:
        return False
    return are_opposite(next(iter(mine)), next(iter(other)))


def amounts_apart(ours: Words, theirs: Words) -> bool:
    """Whether both give amounts, and one of ours denies one of theirs that none of ours repeats."""
    if len(ours.amounts) != len(theirs.amounts):
        return False
    return any(relation(a, b) == "contradict" for a, b in zip(ours.amounts, theirs.amounts, strict=True))


def bound_denied(key: str, value: str, text: str) -> str:
    """The amount in a text that denies the bound `key: value`; the text has to have all words of the key."""
    wanted, limit = _key_stems(key), amount(value)
    if limit is None or not wanted or not wanted <= words_of(text).stems:
        return ""
    for said in words_of(text).amounts:
        found = amount(said)
        if found is not None and found.dimension in {limit.dimension, ""} and relation(value, said) == "contradict":
            return said
    return ""


@lru_cache(maxsize=512)
def _key_stems(key: str) -> frozenset[str]:
    return frozenset(_stem(word) for word in re.findall(r"[^\W\d_]+", key.casefold()) if word not in _EMPTY)


@lru_cache(maxsize=65_536)  # a pact has that many sentences, and each is held against every criterion
def words_of(text: str) -> Words:
    """Read a saying in any language: its stems, amounts and whether it negates."""
    amounts = tuple(_amounts(text))
    bare = text.casefold()
    for said in amounts:
        bare = bare.replace(said.casefold(), " ", 1)
    words = re.findall(r"[^\W\d_]+(?:['’][^\W\d_]+)?", bare)
    negated = any(word in _NEGATIONS or word.endswith(("n't", "n’t")) for word in words)
    kept = (
        word for word in words if word not in _EMPTY and word not in _NEGATIONS and not word.endswith(("n't", "n’t"))
    )
    return Words(frozenset(_stem(word) for word in kept), amounts, negated)


def _amounts(text: str) -> Iterator[str]:
    for hit in _AMOUNT.finditer(text) if _DIGIT.search(text) else ():
        said = hit.group().strip()
        number = re.match(r"(?:.*?\s)?[€$£]?\s?\d[\d.,]*\s?(?:%|€|\$|£)?", said)
        known = amount(said)
        if known is not None and known.dimension in {"second", "month", "byte", "share", "euro", "dollar", "pound"}:
            yield said
        elif number is not None:
            yield number.group().strip(" .,")


def _stem(word: str) -> str:
    found = stem(word)
    return found[:-1] if found.endswith("s") and len(found) > 3 and not found.endswith("ss") else found  # noqa: PLR2004 - shorter ones are no plurals
