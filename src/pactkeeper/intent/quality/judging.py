"""The score of an atom's words: five criteria, each by its rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from pactkeeper.intent.quality.agnostic import agnostic, hidden
from pactkeeper.intent.quality.criteria import criteria
from pactkeeper.intent.quality.examined import Examined, examine
from pactkeeper.intent.quality.falsifiable import falsifiable
from pactkeeper.intent.quality.left_over import restated, source, testing, unfailed
from pactkeeper.intent.quality.observable import observable
from pactkeeper.intent.quality.unambiguous import unambiguous
from pactkeeper.intent.quality.values import (
    MOST,
    AtomWords,
    Criterion,
    Deduction,
    Dimension,
    Quality,
    QualityVocabulary,
    share,
    verdict_of,
)
from pactkeeper.intent.reading.language import foreign_language


def _observable(seen: Examined) -> Iterator[Deduction]:
    yield from observable(seen)
    yield from hidden(seen)
    yield from testing(seen)
    yield from restated(seen)


def _criteria(seen: Examined) -> Iterator[Deduction]:
    yield from criteria(seen)
    yield from unfailed(seen)


def _unambiguous(seen: Examined) -> Iterator[Deduction]:
    yield from unambiguous(seen)
    yield from source(seen)


_RULES: tuple[tuple[Criterion, Callable[[Examined], Iterator[Deduction]]], ...] = (
    ("observable", _observable),
    ("falsifiable", falsifiable),
    ("implementation-agnostic", agnostic),
    ("unambiguous", _unambiguous),
    ("clear success criteria", _criteria),
)


def judge(words: AtomWords, vocabulary: QualityVocabulary) -> Quality:
    """Score the words of an atom, 0 to 100, with a reason for every point that is missing."""
    language = foreign_language(words.intent)
    if language:
        return _unread(words, language, vocabulary.threshold)
    seen = examine(words, vocabulary)
    dimensions = tuple(_dimension(name, tuple(rule(seen))) for name, rule in _RULES)
    score = sum(one.points for one in dimensions)
    return Quality(score, verdict_of(score, vocabulary.threshold), dimensions)


def _dimension(name: Criterion, deductions: tuple[Deduction, ...]) -> Dimension:
    lost = sum(one.points for one in deductions)
    return Dimension(name, max(0, MOST[name] - lost), MOST[name], deductions)


# Fifths taken off each criterion where nothing was judged: together enough to keep an atom from passing.
_UNREAD: Mapping[Criterion, int] = {
    "observable": 1,
    "falsifiable": 1,
    "implementation-agnostic": 1,
    "unambiguous": 2,
    "clear success criteria": 1,
}


def _unread(words: AtomWords, language: str, threshold: int) -> Quality:
    """What can be said of words in a language that the rules do not read: whether outcomes and falsifiers are there."""
    why = f"not judged: the rules read English, and this looks like {language}"
    advice = "let a person judge it, or add an English wording"
    found = {name: [Deduction(share(name, fifths), words.intent, why, advice)] for name, fifths in _UNREAD.items()}
    if not words.falsified_by:
        missing = Deduction(share("falsifiable", 1), "", "no falsifier is written", "add one", "falsified_by")
        found["falsifiable"].append(missing)
    if not words.outcomes:
        missing = Deduction(share("clear success criteria", 2), "", "no outcome is written", "add one", "outcomes")
        found["clear success criteria"].append(missing)
    dimensions = tuple(_dimension(name, tuple(found[name])) for name in MOST)
    score = sum(one.points for one in dimensions)
    return Quality(score, verdict_of(score, threshold), dimensions, language)
