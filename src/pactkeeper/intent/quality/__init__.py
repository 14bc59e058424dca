"""Whether an atom's words describe behaviour that can be observed, refuted and understood in one way only."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from pactkeeper.intent.ids import normalised_intent
from pactkeeper.intent.quality.examined import MISSING, Examined, Sentence, Vague, VagueKind, examine, respells
from pactkeeper.intent.quality.values import (
    APPROVE,
    DEFAULT,
    MOST,
    REVISE,
    AtomWords,
    Criterion,
    Deduction,
    Dimension,
    Place,
    Quality,
    QualityVocabulary,
    Verdict,
    share,
    verdict_of,
)
from pactkeeper.intent.wording.tokens import foreign_language, masked

__all__ = [
    "APPROVE", "DEFAULT", "REVISE", "AtomWords", "Criterion", "Deduction", "Dimension", "Place", "Quality",
    "QualityVocabulary", "Verdict", "assess"
]  # fmt: skip


Found = Iterator[Deduction]
_MILD: Final[frozenset[VagueKind]] = frozenset({"amount", "open"})
_JUDGING: Final[frozenset[VagueKind]] = frozenset({"gain", "feeling", "empty"})
_UNDECIDED: Final[frozenset[VagueKind]] = frozenset({"placeholder", "hedge", "open"})  # whatever an outcome says
_SURE: Final[frozenset[VagueKind]] = frozenset({"placeholder", "project"})  # the only words that refuse a commitment
_TESTING: Final = re.compile(
    r"(?:^|[:;]\s+)(?P<said>(?:verify|ensure|assert|make\s+sure)\b|(?:test|check)\s+(?:that|if|whether)\b)",
    re.IGNORECASE,
)
_LEFT_OUT: Final = re.compile(r"…|\b(?:given|listed) (?:arguments|inputs|results?)\b", re.IGNORECASE)
_CODE: Final = re.compile(r"(?<!\S)\S++\s++(?:\+|===?|!==?|=>|&&|\|\|)\s++\S++|\$\{")


def _observable(seen: Examined) -> Found:
    name: Criterion = "observable"
    intent = seen.intent
    testing = _TESTING.search(masked(intent.text))
    if testing is not None:
        words = intent.text[testing.start("said") : testing.end("said")]
        yield Deduction(
            share(name, 2),
            words,
            "says what a test does, not how the product behaves",
            "leave that out and say what holds",
            hint=True,
        )
    elif (gap := _LEFT_OUT.search(masked(intent.text))) is not None:
        yield Deduction(
            share(name, 5), gap.group(), "doesn't name its subject", "say the value, or what it stands for", hint=True
        )
    elif intent.asks:
        yield Deduction(share(name, 3), intent.text, "a question states nothing", "write the answer as a sentence")
    elif intent.commands:
        why = "tells somebody what to do, not how the product behaves"
        yield Deduction(share(name, 3), intent.text, why, "say what holds when it is done", hint=True)
    elif not intent.states:
        why = "no verb is recognised, so it doesn't say what happens"
        yield Deduction(share(name, 5), intent.text, why, "say in a sentence who or what does what", hint=True)
    elif respells(seen.words):
        why = "is only the name of its test, without a sure verb"
        yield Deduction(share(name, 2), intent.text, why, "say what happens, and when", hint=True)
    if not seen.concrete_outcomes:
        yield from _no_result(seen, name)
    if seen.outcomes and not any(one.states for one in seen.outcomes):
        text = seen.outcomes[0].text
        yield Deduction(
            share(name, 1),
            text,
            "no outcome is a statement",
            "say in a sentence what is observed",
            "outcomes",
            hint=True,
        )


def _no_result(seen: Examined, name: Criterion) -> Found:
    """Yield deductions for words that leave open what is observed: `works`, `handles`, `happy`."""
    judging = next((one for one in seen.intent.vague if one.kind in _JUDGING), None)
    if judging is not None:
        yield _of_vague(seen.intent, judging, share(name, 3))
    elif seen.intent.opaque:
        yield _of_opaque(seen.intent, share(name, 3))


def _falsifiable(seen: Examined) -> Found:
    name: Criterion = "falsifiable"
    if not seen.intent.states:
        why = "without a statement, nothing can be refuted"
        yield Deduction(share(name, 3), seen.intent.text, why, "make it a statement", hint=not seen.intent.asks)
        return
    if seen.intent.opaque and not seen.concrete_outcomes:
        yield _of_opaque(seen.intent, share(name, 2))
    grave = True
    for vague in _once(seen.intent.vague):
        if not seen.concrete_outcomes or vague.kind == "hedge":
            yield _of_vague(seen.intent, vague, share(name, 2 if grave and vague.kind not in _MILD else 1))
            grave = False
    said = {normalised_intent(one) for one in (seen.words.intent, *seen.words.outcomes)}
    for falsifier in seen.falsifiers:
        if normalised_intent(falsifier.text) in said:
            why, points = "says the same as what it should refute", share(name, 2)
            yield Deduction(points, falsifier.text, why, "say its opposite", "falsified_by", falsifier.at)
    if not seen.falsifiers and not seen.concrete_outcomes:
        why = "nothing says what would refute it"
        yield Deduction(share(name, 1) - 1, "", why, "say what would be observed if it did not hold", "falsified_by")


def _agnostic(seen: Examined) -> Found:
    code = _CODE.search(masked(seen.intent.text))
    if code is not None:
        words, points = seen.intent.text[code.start() : code.end()], share("implementation-agnostic", 3)
        yield Deduction(points, words, "is source code, not a sentence", "say in words what is meant")


def _unambiguous(seen: Examined) -> Found:
    name: Criterion = "unambiguous"
    for number, vague in enumerate(_once(seen.intent.vague)):
        if vague.kind in _UNDECIDED or not seen.concrete_outcomes:
            fifths = 5 if vague.kind == "placeholder" else 1 if seen.concrete_outcomes or number else 2
            yield _of_vague(seen.intent, vague, share(name, fifths))
    if seen.intent.opaque and not seen.concrete_outcomes:
        yield _of_opaque(seen.intent, share(name, 2))
    if seen.intent.unnamed:
        yield Deduction(share(name, 3), seen.intent.unnamed, "refers to something that is not named", "name it")
    if seen.joints and not seen.concrete_outcomes:
        why = "may add a second behaviour, but a sentence should have one"
        advice = "split it into two atoms, or word it as one behaviour"
        yield Deduction(share(name, 1), seen.joints[0], why, advice, hint=True)
    for outcome in seen.outcomes:
        yield from (_of_vague(outcome, one, share(name, 1)) for one in outcome.vague[:1])


def _criteria(seen: Examined) -> Found:
    name: Criterion = "clear success criteria"
    if not seen.outcomes:
        fifths = 5 if not seen.intent.states else 3 if not seen.intent.concrete else 1
        why = "no outcome says what is observed when it holds"
        yield Deduction(share(name, fifths), "", why, "add one: a value, a message, a status, a state", "outcomes")
    for outcome in seen.outcomes:
        if not outcome.concrete:
            fifths = 1 if seen.concrete_outcomes or outcome.at else 3
            yield _unclear(outcome, share(name, fifths))
    if seen.words.category == "performance" and not re.search(
        r"\d", " ".join((seen.words.intent, *seen.words.outcomes))
    ):
        yield Deduction(
            share(name, 2), "", "a performance atom without a number", "give the value and where it is measured"
        )


_RULES: tuple[tuple[Criterion, Callable[[Examined], Found]], ...] = (
    ("observable", _observable),
    ("falsifiable", _falsifiable),
    ("implementation-agnostic", _agnostic),
    ("unambiguous", _unambiguous),
    ("clear success criteria", _criteria),
)


def _once(found: tuple[Vague, ...]) -> tuple[Vague, ...]:
    return tuple({one.phrase: one for one in reversed(found)}.values())[::-1]


def _of_vague(sentence: Sentence, vague: Vague, points: int) -> Deduction:
    missing = MISSING[vague.kind]
    words = sentence.text[vague.start : vague.end]
    hint = vague.kind not in _SURE
    return Deduction(points, words, missing.why, missing.suggestion, sentence.place, sentence.at, hint=hint)


def _of_opaque(sentence: Sentence, points: int) -> Deduction:
    why = "has no value to compare"
    advice = "say the value, the message or the state"
    return Deduction(points, sentence.opaque, why, advice, sentence.place, sentence.at, hint=True)


def _unclear(outcome: Sentence, points: int) -> Deduction:
    if outcome.vague:
        return _of_vague(outcome, outcome.vague[0], points)
    if outcome.opaque:
        return _of_opaque(outcome, points)
    why = "refers to something that is not named" if outcome.unnamed else "states nothing"
    words, hint = outcome.unnamed or outcome.text, not outcome.unnamed
    return Deduction(points, words, why, "say the value, the message or the state", "outcomes", outcome.at, hint=hint)


def assess(words: AtomWords, vocabulary: QualityVocabulary = DEFAULT) -> Quality:
    """Score the words of an atom, 0 to 100, with a reason for every missing point."""
    language = foreign_language(words.intent)
    if language:
        return _unread(words, language, vocabulary.threshold)
    seen = examine(words, vocabulary)
    dimensions = tuple(Dimension.of(name, tuple(rule(seen))) for name, rule in _RULES)
    score = sum(one.points for one in dimensions)
    return Quality(score, verdict_of(score, vocabulary.threshold, dimensions), dimensions)


# Fifths deducted from each criterion if nothing could be judged: together enough to keep an atom from passing.
_UNREAD: Mapping[Criterion, int] = {
    "observable": 1,
    "falsifiable": 1,
    "implementation-agnostic": 1,
    "unambiguous": 2,
    "clear success criteria": 1,
}


def _unread(words: AtomWords, language: str, threshold: int) -> Quality:
    """Judge words in a language that the rules do not read: only whether outcomes and falsifiers exist."""
    why = f"not judged: the rules read English, and this looks like {language}"
    advice = "let a person judge it, or add an English wording"
    found = {name: [Deduction(share(name, fifths), words.intent, why, advice)] for name, fifths in _UNREAD.items()}
    if not words.falsified_by:
        missing = Deduction(share("falsifiable", 1), "", "no falsifier is written", "add one", "falsified_by")
        found["falsifiable"].append(missing)
    if not words.outcomes:
        missing = Deduction(share("clear success criteria", 2), "", "no outcome is written", "add one", "outcomes")
        found["clear success criteria"].append(missing)
    dimensions = tuple(Dimension.of(name, tuple(found[name])) for name in MOST)
    score = sum(one.points for one in dimensions)
    return Quality(score, verdict_of(score, threshold), dimensions, language)
