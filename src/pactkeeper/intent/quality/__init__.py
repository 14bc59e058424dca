"""Whether the words of an atom say a behaviour that can be seen, refuted and understood in one way only."""

from __future__ import annotations

from pactkeeper.intent.quality.assess import assess
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
    reworded,
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
    "reworded",
]
