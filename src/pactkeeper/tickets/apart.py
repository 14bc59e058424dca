"""Whether two sayings cannot both hold: by their sentences, by what they claim, or by the amounts of one thing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from pactkeeper.intent.amounts import amount, relation
from pactkeeper.intent.conflicts.comparing import compare
from pactkeeper.intent.conflicts.opposites import are_opposite
from pactkeeper.intent.conflicts.sentences import Sentence
from pactkeeper.intent.reading.opposite import stated
from pactkeeper.intent.ticket import Draft, Said, sides_of
from pactkeeper.tickets.sayings.clash import clash
from pactkeeper.tickets.sayings.keys import about_of, as_of_keys, sided
from pactkeeper.tickets.sayings.words import EMPTY, KNOWN, Words, stem_of, words_of

_FEWEST: Final = 2
_FAR: Final = 2  # words that only one of two sentences has; more of them, and they speak of different things
_AHEAD: Final = frozenset({"no", "only", "kein", "keine", "nur", "pas de", "aucun", "aucune", "sin", "solo", "sólo"})
_BEHIND: Final = EMPTY | {
    "please",
    "instead",
    "max",
    "min",
    "maximum",
    "minimum",
    "now",
    "then",
    "and",
    "or",
    "not",
    "bitte",
}
_PLACED: Final = re.compile(r".*\b(?:stay|run|live|remain|be (?:hosted|stored|kept|deployed))", re.IGNORECASE)


def contradicts(one: str, other: str) -> bool:
    """Whether two sentences deny each other; said in any language where only amounts or a negation tell them apart."""
    return _nearly_same_words_apart(one, other) or clash(one, other)


def _nearly_same_words_apart(one: str, other: str) -> bool:
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
    """The amount in a text that denies the bound `key: value`; the text has to name what the key is about."""
    value = sided(key, value)
    limit = amount(value)
    if limit is None:
        return ""
    # A bare number may count anything that the text names, so that all words of its key have to be there.
    wanted = about_of(key) if limit.dimension in KNOWN else _key_stems(key)
    if not wanted or not wanted <= as_of_keys(words_of(text).stems):
        return ""
    for said in words_of(text).amounts:
        found = amount(said)
        if found is None or found.dimension not in {limit.dimension, ""} or relation(value, said) != "contradict":
            continue
        if found.dimension or not limit.dimension or not _counts(said, text):
            return said
    return ""


def _counts(number: str, text: str) -> bool:
    """Whether a bare number in a text has a noun behind it, and so is a number of something."""
    hit = re.search(rf"(?<!\w){re.escape(number)}\s+(?P<noun>[^\W\d_]+)", text)
    return hit is not None and hit["noun"].casefold() not in _BEHIND


def in_words(key: str, value: str) -> str:
    """A constraint as the sentence that it was or might have been: `session: 15 minutes`, `must not hold names`."""
    if value.casefold() == "required":
        return key
    if value.casefold() == "forbidden":
        return f"must not {key}"
    if value.casefold() in _AHEAD:
        return f"{value} {key}"
    return f"{key} {value}" if _PLACED.fullmatch(key) else f"{key}: {value}"


def bounds_in_words(draft: Draft) -> Iterator[tuple[str, Said, str]]:
    """Each value of each constraint of a draft: its key, the value, and both as one sentence."""
    for one in draft.constraints:
        yield from ((one.key, side, in_words(one.key, side.value)) for side in sides_of(one.value))


@lru_cache(maxsize=512)
def _key_stems(key: str) -> frozenset[str]:
    return frozenset(stem_of(word) for word in re.findall(r"[^\W\d_]+", key.casefold()) if word not in EMPTY)
