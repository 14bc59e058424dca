"""Whether the words leave open how it is built: what a user, a caller or an operator sees is no directive."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pactkeeper.intent.quality.building import (
    BUILDING,
    EVERYDAY,
    KEEPING,
    MEANS,
    ROWS,
    USING,
    BuildingKind,
)
from pactkeeper.intent.quality.examined import Examined, Sentence
from pactkeeper.intent.quality.phrases import Hit, phrases
from pactkeeper.intent.quality.values import Criterion, Deduction, Place, share
from pactkeeper.intent.reading.clauses import Group, Reading

NAME: Criterion = "implementation-agnostic"
_SLIGHT, _CLEAR, _GRAVE = (share(NAME, fifths) for fifths in (1, 2, 4))
_HIDDEN = share("observable", 1)
_LEXICON = phrases(ROWS, names=True)
_INSIDE: frozenset[BuildingKind] = frozenset({"technology", "language", "part"})


@dataclass(frozen=True, slots=True)
class Directive:
    """Words that say how to build: `text` cites them, `bound` whether a verb or preposition makes them a means."""

    kind: BuildingKind
    text: str
    bound: bool
    reading: Reading
    start: int
    end: int


def agnostic(seen: Examined) -> Iterator[Deduction]:
    """What the words prescribe about the inside."""
    found = list(directives(seen.intent, seen))
    yield from (_deduction(one, seen.intent, seen) for one in found)
    yield from _building(seen, found)
    for outcome in seen.outcomes:
        for one in list(directives(outcome, seen))[:1]:
            if one.bound and one.kind in _INSIDE:
                yield _in_outcome(one, outcome)


def hidden(seen: Examined) -> Iterator[Deduction]:
    """What a directive costs as an observation: how something is built cannot be seen from outside."""
    for one in directives(seen.intent, seen):
        if one.bound and one.kind in _INSIDE:
            made = _without(one, seen.intent)
            why = "what it is built with cannot be seen from outside"
            yield Deduction(_HIDDEN, one.text, why, _advice(made), rewording=made)
            return


def directives(sentence: Sentence, seen: Examined) -> Iterator[Directive]:
    """Every technology and part of a program that a text names outside quotations."""
    allowed = {term.lower() for term in seen.vocabulary.domain_terms}
    for reading in sentence.readings:
        for hit in _LEXICON.hits(reading.words):
            if hit.end <= reading.title:
                continue  # the name of a suite
            text = sentence.text[reading.words[hit.start].token.start : reading.words[hit.end - 1].token.end]
            if hit.phrase in allowed or text.lower() in allowed or _everyday(reading, hit):
                continue
            bound = _is_means(reading, hit)
            if hit.kind == "language" and not (bound and _is_built(reading)):
                continue  # what a tool is for: "a Python test"
            if hit.kind != "widget" or bound:
                yield Directive(hit.kind, text, bound, reading, hit.start, hit.end)


def _is_built(reading: Reading) -> bool:
    main = reading.predicate
    return main is not None and reading.words[main.verb].base in BUILDING


def _everyday(reading: Reading, hit: Hit[BuildingKind]) -> bool:
    """Whether the name of a technology is meant as the everyday word it also is."""
    if hit.phrase not in EVERYDAY:
        return False
    token = reading.words[hit.start].token
    return not token.text[:1].isupper() or not _is_means(reading, hit)


def _is_means(reading: Reading, hit: Hit[BuildingKind]) -> bool:
    """Whether the phrase is what something is done with: after `with`, `in`, `using`, after `uses` or `is a`."""
    words = reading.words
    main = reading.predicate
    if main is not None and hit.kind == "technology" and _is_subject(reading, main, hit):
        return True
    for at in range(hit.start - 1, -1, -1):
        word = words[at]
        if word.tag == "prep" or word.lower in MEANS:
            return word.lower in MEANS and at > 0 and not _of_condition(reading, at)
        if word.tag == "verb":
            return word.base in USING
        if word.tag in {"be", "modal"}:
            return True
        if word.tag in {"sub", "rel", "have", "do"}:
            return False
    return False


def _is_subject(reading: Reading, main: Group, hit: Hit[BuildingKind]) -> bool:
    """Whether it is the technology that acts: `a Kafka consumer reads`."""
    before = reading.words[reading.lead : hit.start]
    acts = hit.start >= reading.lead and hit.end <= main.start and main.kind != "passive"
    return acts and not any(word.tag in {"prep", "rel"} for word in before)


def _of_condition(reading: Reading, at: int) -> bool:
    return at < reading.lead


def _deduction(one: Directive, sentence: Sentence, seen: Examined) -> Deduction:
    made = _without(one, sentence)
    if one.kind == "widget":
        why = "prescribes a control of the surface; another one could serve as well"
        return Deduction(_SLIGHT, one.text, why, "say what can be chosen or entered", rewording=made)
    if not one.bound:
        why = "names a technology" if one.kind == "technology" else "names a part of the program"
        advice = "if it is what users deal with, add it to domain_terms in pact.toml [quality]; else leave it out"
        points = _CLEAR if one.kind == "technology" and not seen.concrete_outcomes else _SLIGHT
        return Deduction(points, one.text, why, advice)
    why = "prescribes how it is built, not what it does"
    points = _CLEAR if one.kind == "concept" else _GRAVE
    return Deduction(points, one.text, why, _advice(made), rewording=made)


def _advice(made: str | None) -> str:
    said = "say what is seen, whatever it is built with"
    return said if made is None else f"{said}: {made}"


def _in_outcome(one: Directive, outcome: Sentence) -> Deduction:
    made = _without(one, outcome)
    place: Place = "outcomes"
    why = "an outcome is what is seen; this is how it is built"
    return Deduction(_SLIGHT, one.text, why, _advice(made), place, outcome.at, made)


def _without(one: Directive, sentence: Sentence) -> str | None:
    """The sentence without the phrase that says with what; None where the rest would say nothing."""
    reading, main = one.reading, one.reading.predicate
    if main is None:
        return None
    words = reading.words
    start = next((at for at in range(one.start - 1, main.end - 1, -1) if words[at].lower in MEANS), None)
    if start is None or words[main.verb].base in BUILDING:
        return None
    if words[start - 1].base in BUILDING:
        start -= 1  # "a form built with React"
    stop = _phrase_end(reading, one.end)
    goes_on = stop < reading.end and (words[stop].tag == "rel" or words[stop].form is not None)
    if start <= main.verb or goes_on:
        return None
    return sentence.text[: words[start].token.start].rstrip() + sentence.text[words[stop - 1].token.end :]


def _phrase_end(reading: Reading, at: int) -> int:
    """Where the noun phrase around a position ends, further means included."""
    while at < reading.end and (
        reading.words[at].tag in {"noun", "lit", "adj", "num", "det"} or reading.words[at].lower in MEANS
    ):
        at += 1
    return at


def _building(seen: Examined, found: list[Directive]) -> Iterator[Deduction]:
    """Sentences about writing the program: `is written in`, `is implemented as`."""
    if any(one.bound for one in found):
        return
    for reading in seen.intent.readings:
        main = reading.predicate
        if main is None:
            continue
        verb = reading.words[main.verb]
        following = reading.words[main.verb + 1].lower if main.verb + 1 < len(reading.words) else ""
        if verb.base in BUILDING - {"base", "write", "build", "host"} and main.kind in {"passive", "base", "modal"}:
            yield Deduction(_CLEAR, verb.token.text, "is about building it, not about what it does", _advice(None))
        elif verb.base in KEEPING and following == "internally":
            yield Deduction(_CLEAR, f"{verb.token.text} internally", "cannot be seen from outside", _advice(None))
