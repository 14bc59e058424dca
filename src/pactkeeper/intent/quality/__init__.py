"""Whether an atom's words describe behaviour that can be observed, refuted and understood in one way only."""

from __future__ import annotations

from pactkeeper.intent.quality.values import (
    APPROVE,
    DEFAULT,
    REVISE,
    AtomWords,
    Criterion,
    Deduction,
    Dimension,
    Place,
    Quality,
    QualityVocabulary,
    Verdict,
)

__all__ = [
    "APPROVE",
    "DEFAULT",
    "REVISE",
    "AtomWords",
    "Criterion",
    "Deduction",
    "Dimension",
    "Place",
    "Quality",
    "QualityVocabulary",
    "Verdict",
    "assess",
]


def assess(words: AtomWords, vocabulary: QualityVocabulary = DEFAULT) -> Quality:
    """Score the words of an atom, 0 to 100, with a reason for every missing point."""
    from pactkeeper.intent.quality.judging import judge  # noqa: PLC0415 - the tables of words are large

    return judge(words, vocabulary)
