"""Which verb a question means: weights learned from examples, over its words and the ideas that they tell."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise
from math import exp
from typing import Any, Final, Literal

from pactkeeper.chat.words import ATOM, FILE, Question, both_stems

GraphName = Literal["lookup", "explore", "report", "trace", "intent", "commitment", "proposal"]
CODE: Final = "explore"
_WRITES: Final = frozenset({"proposal", "commitment", "intent"})
_SHORT: Final = 2  # letters
UNKNOWN: Final = "?"  # stands for words that no example has: what a question is about
LEAD: Final = 3  # words with which a question says most of what it wants
WISHED: Final = 200  # hundredths for verbs that would write, where a question begins with what is wished
SCALE: Final = 100  # by which weights are multiplied, to be kept as whole numbers
_LIKE: Final = 82  # how like a known word a misspelled one has to be, of 100
# `HEAD`, `getHeader`, `max_range`, `app.use`
_NAME: Final = re.compile(r"[A-Z]{3,60}|\w{0,60}[a-z][A-Z]\w{0,60}|\w{1,60}[_.]\w{1,60}")
_LONG: Final = 4  # letters from which on a word may be a misspelled one


@dataclass(frozen=True, slots=True)
class VerbRow:
    """One row of `verbs.toml`; words that tell none of the ideas `tells` are what the verb is asked about."""

    name: str
    word: str
    tells: frozenset[str]
    does: str
    graph: GraphName
    takes: str
    command: str
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Match:
    """A verb, how likely it is meant (of 100), and the words of the question that it is asked about."""

    verb: VerbRow
    share: int
    subject: tuple[str, ...]


@cache
def verbs() -> Mapping[str, VerbRow]:
    """The table, by name."""
    return {
        name: VerbRow(
            name=name, **{**row, "examples": tuple(row["examples"]), "tells": frozenset(row["tells"].split())}
        )
        for name, row in tomllib.loads(_read("verbs.toml")).items()
    }


def _read(name: str) -> str:
    return (files("pactkeeper.chat") / name).read_text(encoding="utf-8")


@cache
def _stems() -> tuple[Mapping[str, frozenset[str]], frozenset[str]]:
    """The ideas that each stem tells, and the stems that say nothing: kept, as finding them takes long."""
    kept = json.loads(_read("stems.json"))
    return {stem: frozenset(ideas) for stem, ideas in kept["ideas"].items()}, frozenset(kept["small"])


def ideas_of(word: str, named: Collection[str] = ()) -> frozenset[str]:
    """The ideas that a word tells, a misspelled one by the known word most like it; `named` ones are spelled right."""
    return frozenset({word}) if word in {FILE, ATOM} else _stems()[0].get(_stem(word, named), frozenset())


def _stem(word: str, named: Collection[str]) -> str:
    folded = word.casefold()
    return word if word in {FILE, ATOM} else both_stems(folded) if folded in named else _known(folded)


@cache
def _known(word: str) -> str:
    """The stem of a word; of a misspelled one that of the known word most like it."""
    stem = both_stems(word)
    ideas, small = _stems()
    if stem in ideas or len(stem) < max(_LONG, len(word) - _LONG) or stem in small:
        return stem  # a stem that lost more than an ending tells too little to be a misspelled one
    from rapidfuzz import fuzz, process  # noqa: PLC0415 - only where a word is not known

    known = {*ideas, *small}
    long = sorted(one for one in known if len(one) >= _LONG and one[0] == stem[0] and abs(len(one) - len(stem)) <= 1)
    hit = process.extractOne(stem, long, scorer=fuzz.ratio, score_cutoff=_LIKE)
    return stem if hit is None else str(hit[0])


def features(question: Question, known: Collection[str]) -> frozenset[str]:
    """What is weighed: words, pairs of neighbours, ideas, and how it begins; words that are not `known` are one."""
    stems = [_stem(one, question.named) for one in question.words]
    told = [one if one in known or one in {FILE, ATOM} else UNKNOWN for one in stems]
    merged = ["^", *(one for at, one in enumerate(told) if one != UNKNOWN or at == 0 or told[at - 1] != UNKNOWN), "$"]
    ideas = [ideas_of(one, question.named) for one in question.words]
    return frozenset(
        (
            *(f"word:{one}" for one in merged[:-1]),  # the first stands for how usual a verb is
            *(f"pair:{one} {two}" for one, two in pairwise(merged)),
            *(f"idea:{one}" for one in frozenset().union(*ideas)),
            *(f"lead:{one}" for one in frozenset().union(*ideas[:LEAD])),
            f"open:{' '.join(merged[1:LEAD])}",
        )
    )


@cache
def _learned() -> tuple[tuple[str, ...], Mapping[str, Mapping[str, int]], frozenset[str]]:
    """The verbs, the weights of each feature by verb, and the stems that the examples have."""
    found: dict[str, Any] = json.loads(_read("weights.json"))
    return tuple(found["verbs"]), found["weights"], frozenset(found["known"])


def is_asking(word: str) -> bool:
    """Whether people ask by a word, whatever they ask about: the examples have it."""
    return both_stems(word.casefold()) in _learned()[2]


def matches(question: Question) -> tuple[Match, ...]:
    """All verbs, the likeliest first; equal ones in the order of the table."""
    names, weights, known = _learned()
    totals = dict.fromkeys(names, 0)
    for one in features(question, known):
        for at, weight in weights.get(one, {}).items():
            totals[names[int(at)]] += weight
    opening = _opening(question)
    for name in names:
        if verbs()[name].graph in _WRITES and not opening.isdisjoint(verbs()[name].tells):
            totals[name] += WISHED
    ranked = sorted(names, key=lambda name: -totals[name])
    odds = [exp((totals[name] - totals[ranked[0]]) / SCALE) for name in ranked]
    return tuple(
        Match(verbs()[name], round(100 * odd / sum(odds)), subject(question, verbs()[name]))
        for name, odd in zip(ranked, odds, strict=True)
    )


def _opening(question: Question) -> frozenset[str]:
    """The ideas of the first word, or of the second behind one as short as `I` and `we`."""
    first = next((one for one in question.words[:2] if len(one) > _SHORT), "")
    return ideas_of(first) - {"filler"}


def subject(question: Question, verb: VerbRow) -> tuple[str, ...]:
    """The words that a verb is asked about: those that neither tell it nor fill, and what is written as a name."""
    told = verb.tells | {"filler"}

    def about(word: str) -> bool:
        stem = _stem(word, question.named)
        small = stem in _stems()[1] and len(word) - len(stem) <= _LONG and not question.tells(stem)
        return not small and told.isdisjoint(ideas_of(word, question.named))

    return tuple(one for one in question.subject if _NAME.fullmatch(one) or about(one))
