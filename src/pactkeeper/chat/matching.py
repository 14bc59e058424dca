"""Find the verb a question means, using learned weights over its words and the ideas they express."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from itertools import pairwise
from math import exp
from typing import Any, Final, Literal

from pactkeeper.chat.words import ATOM, FILE, SUBJECT, Question, both_stems, stored

GraphName = Literal["lookup", "explore", "report", "intent", "commitment", "proposal"]
CODE: Final = "explore"
_WRITES: Final = frozenset({"proposal", "commitment", "intent"})
_SHORT: Final = 2  # letters
PROMISED: Final = frozenset({"promise", "commitments"})  # ideas of words for what was declared as a whole
UNKNOWN: Final = "?"  # stands for words in none of the examples: the question's subject
LEAD: Final = 3  # leading words, which express most of what is asked
WISHED: Final = 200  # bonus, in hundredths, for verbs that would write if the question opens with a request
SCALE: Final = 100  # factor by which weights are stored as whole numbers
_LIKE: Final = 82  # minimum similarity of a misspelled word to a known one, of 100
# `HEAD`, `getHeader`, `max_range`, `app.use`
_NAME: Final = re.compile(r"[A-Z]{3,60}|\w{0,60}[a-z][A-Z]\w{0,60}|\w{1,60}[_.]\w{1,60}")
_LONG: Final = 4  # letters of an ending
_CORRECTED: Final = 5  # minimum letters of a word that is corrected


@dataclass(frozen=True, slots=True)
class VerbRow:
    """One row of `verbs.toml`; words that express none of the ideas in `tells` are the verb's subject."""

    name: str
    word: str
    tells: frozenset[str]
    does: str
    graph: GraphName
    takes: str
    command: str
    examples: tuple[str, ...]

    @property
    def asked_with(self) -> frozenset[str]:
        """The words of its examples, in lower case."""
        words = (word for example in self.examples for word in example.split())
        return frozenset(word.lower() for word in words if word not in {SUBJECT, FILE, ATOM})


@dataclass(frozen=True, slots=True)
class Match:
    """A verb, its likelihood (of 100), and the words of the question that are its subject."""

    verb: VerbRow
    share: int
    subject: tuple[str, ...]


@cache
def verbs() -> Mapping[str, VerbRow]:
    """Return the table, by name."""
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
    """Return the ideas each stem expresses, and the stems without meaning."""
    kept = stored()
    return {stem: frozenset(ideas) for stem, ideas in kept["ideas"].items()}, frozenset(kept["small"])


def ideas_of(word: str, named: Collection[str] = ()) -> frozenset[str]:
    """Return the ideas of a word; unless `named`, a misspelled one counts as the most similar known word."""
    return frozenset({word}) if word in {FILE, ATOM} else _stems()[0].get(_stem(word, named), frozenset())


def _stem(word: str, named: Collection[str]) -> str:
    folded = word.lower()
    return word if word in {FILE, ATOM} else both_stems(folded) if folded in named else _known(folded)


@cache
def _known(word: str) -> str:
    """Return the stem of a word; for a misspelled one that of the known word one slip away."""
    stem = both_stems(word)
    ideas, small = _stems()
    if stem in ideas or len(stem) < max(_CORRECTED, len(word) - _LONG) or stem in small:
        return stem  # one slip makes another word of a short one: `free`, `freeze`
    from rapidfuzz import fuzz, process  # noqa: PLC0415 - only for unknown words
    from rapidfuzz.distance import OSA  # noqa: PLC0415 - likewise

    known = {*ideas, *small}
    long = sorted(one for one in known if len(one) >= _LONG and one[0] == stem[0] and abs(len(one) - len(stem)) <= 1)
    hit = process.extractOne(stem, long, scorer=fuzz.ratio, score_cutoff=_LIKE)
    return stem if hit is None or OSA.distance(stem, hit[0]) > 1 else str(hit[0])


def features(question: Question, known: Collection[str]) -> frozenset[str]:
    """Extract what is weighed: words, neighbouring pairs, ideas and the opening; unknown words count as one."""
    stems = [_stem(one, question.named) for one in question.words]
    told = [one if one in known or one in {FILE, ATOM} else UNKNOWN for one in stems]
    merged = ["^", *(one for at, one in enumerate(told) if one != UNKNOWN or at == 0 or told[at - 1] != UNKNOWN), "$"]
    ideas = [ideas_of(one, question.named) for one in question.words]
    return frozenset(
        (
            *(f"word:{one}" for one in merged[:-1]),  # the first one stands for how common a verb is
            *(f"pair:{one} {two}" for one, two in pairwise(merged)),
            *(f"idea:{one}" for one in frozenset().union(*ideas)),
            *(f"lead:{one}" for one in frozenset().union(*ideas[:LEAD])),
            f"open:{' '.join(merged[1:LEAD])}",
        )
    )


@cache
def _learned() -> tuple[tuple[str, ...], Mapping[str, Mapping[str, int]], frozenset[str]]:
    """Return the verbs, the weights of each feature by verb, and the stems in the examples."""
    found: dict[str, Any] = json.loads(_read("weights.json"))
    return tuple(found["verbs"]), found["weights"], frozenset(found["known"])


@lru_cache(maxsize=8)
def matches(question: Question) -> tuple[Match, ...]:
    """Rank all verbs by likelihood; ties keep the order of the table."""
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
    """Return the ideas of the first word, or of the second after one as short as `I` or `we`."""
    first = next((one for one in question.words[:2] if len(one) > _SHORT), "")
    return ideas_of(first) - {"filler"}


def is_name(word: str) -> bool:
    """Whether a word is spelled like a name in code."""
    return _NAME.fullmatch(word) is not None


def subject(question: Question, verb: VerbRow) -> tuple[str, ...]:
    """Return the words a verb is asked about: those that neither indicate it nor are fillers, and all names.

    The words of a verb's own examples indicate it.
    """
    told, own = verb.tells | {"filler"}, verb.asked_with

    def about(word: str) -> bool:
        if word.lower() in own:
            return False
        stem = _stem(word, question.named)
        small = stem in _stems()[1] and len(word) - len(stem) <= _LONG and not question.tells(stem)
        return not small and told.isdisjoint(ideas_of(word, question.named))

    return tuple(one for one in question.subject if is_name(one) or about(one))
