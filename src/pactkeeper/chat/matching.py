"""Which verb a question means: the ideas that its words tell, and for each verb the signs that are made of them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final, Literal

from pactkeeper.chat.words import ATOM, FILE, SUBJECT, Question, both_stems, small_stems

GraphName = Literal["lookup", "explore", "report", "trace", "intent", "commitment", "proposal"]
CODE: Final = "explore"
TOLD: Final = 20  # what each idea of a sign counts, and what a sign has at least that tells anything
_WORD: Final = 3  # what each word that tells one counts, so that of equal signs the one that more words tell is meant
_LEFT: Final = 6  # what each word that it does not tell takes away, where the verb asks about the whole repository
_MOST: Final = 4  # words that are counted
_ORDERED: Final = 2  # that the words stand in the order of the sign
_WISHED: Final = 15  # that a question begins with what it wishes to be done
_ANYTHING: Final = 16  # that a question with a subject is about the code, where nothing tells more
_LIKE: Final = 82  # how like a known word a misspelled one has to be, of 100
_LONG: Final = 4  # letters from which on a word may be a misspelled one


@dataclass(frozen=True, slots=True)
class VerbRow:
    """One row of `verbs.toml` with its signs, each the ideas that a question has together."""

    name: str
    word: str
    does: str
    graph: GraphName
    takes: str
    command: str
    examples: tuple[str, ...]
    signs: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Match:
    """A verb with how much tells it, and the words of the question that it is asked about."""

    verb: VerbRow
    score: int
    subject: tuple[str, ...]


@cache
def verbs() -> Mapping[str, VerbRow]:
    """The table, by name."""
    signs = _read("signs.toml")["signs"]
    return {
        name: VerbRow(
            name=name,
            **{**row, "examples": tuple(row["examples"])},
            signs=tuple(tuple(one.split()) for one in signs[name]),
        )
        for name, row in _read("verbs.toml").items()
    }


def _read(name: str) -> Mapping[str, Any]:
    return tomllib.loads((files("pactkeeper.chat") / name).read_text(encoding="utf-8"))


@cache
def _ideas() -> Mapping[str, frozenset[str]]:
    """What each stem tells."""
    found: dict[str, set[str]] = {}
    for idea, words in _read("signs.toml")["ideas"].items():
        for word in words.split():
            found.setdefault(both_stems(word), set()).add(idea)
    return {stem: frozenset(ideas) for stem, ideas in found.items()}


def ideas_of(word: str) -> frozenset[str]:
    """The ideas that a word tells, a misspelled one by the known word that is most like it."""
    if word in {FILE, ATOM}:
        return frozenset({word})
    stem = both_stems(word.casefold())
    if stem in _ideas() or len(stem) < _LONG or stem in small_stems():
        return _ideas().get(stem, frozenset())
    from rapidfuzz import fuzz, process  # noqa: PLC0415 - only where a word is not known

    long = [one for one in _ideas() if len(one) >= _LONG and one[0] == stem[0] and abs(len(one) - len(stem)) <= 1]
    hit = process.extractOne(stem, long, scorer=fuzz.ratio, score_cutoff=_LIKE)
    return frozenset() if hit is None else _ideas()[hit[0]]


def matches(question: Question) -> tuple[Match, ...]:
    """All verbs that a question tells, the best first; equal ones in the order of the table."""
    told = [(word, ideas_of(word)) for word in dict.fromkeys(question.words)]
    found = [one for verb in verbs().values() if (one := _best(verb, question, told)) is not None]
    return tuple(sorted(found, key=lambda one: (-one.score, one.verb.name == CODE)))


def _best(verb: VerbRow, question: Question, told: Sequence[tuple[str, frozenset[str]]]) -> Match | None:
    """The sign of a verb that tells most; None where none does."""
    scored = [one for sign in verb.signs if (one := _scored(verb, sign, question, told)) is not None]
    best = max(scored, key=lambda one: one.score, default=None)
    return best if best is not None and best.score > 0 else None


def _scored(
    verb: VerbRow, sign: Sequence[str], question: Question, told: Sequence[tuple[str, frozenset[str]]]
) -> Match | None:
    """How much one sign tells; None where an idea of it, or a subject that it wants, is not there."""
    ideas = frozenset(sign) - {SUBJECT}
    telling = {word for word, has in told if has & ideas}
    there = frozenset[str]().union(*(has for _, has in told))
    if not ideas <= there or len(telling) < len(ideas):
        return None
    left = _left(question, telling, ideas)
    if SUBJECT in sign and not (left or question.quoted or question.files):
        return None
    many = _WORD * min(len(telling), _MOST)
    if verb.name == CODE:
        return Match(verb, (TOLD if ideas else _ANYTHING) + many, left)
    away = 0 if SUBJECT in sign else _LEFT * min(len(left), _MOST)
    return Match(verb, TOLD * len(ideas) + many - away + _order(verb, sign, told), left)


def _order(verb: VerbRow, sign: Sequence[str], told: Sequence[tuple[str, frozenset[str]]]) -> int:
    """What the order of the words adds: where it is the sign's, and where a wish begins with what is wished."""
    ideas = [one for one in sign if one != SUBJECT]
    places = [next(at for at, (_, has) in enumerate(told) if one in has) for one in ideas]
    opening = next((has for _, has in told if "filler" not in has), frozenset[str]())
    wished = verb.graph in {"proposal", "commitment"} and not opening.isdisjoint(ideas)
    return _ORDERED * (len(places) > 1 and places == sorted(places)) + _WISHED * wished


def _left(question: Question, telling: set[str], ideas: frozenset[str]) -> tuple[str, ...]:
    """The words of the subject that do not tell the verb."""
    filler = {word for word in question.subject if "filler" in ideas_of(word)}
    return tuple(one for one in question.subject if one not in telling and one not in filler - ideas)
