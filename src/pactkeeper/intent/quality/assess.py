"""The score of an atom's words: five criteria, each by its rules."""

from __future__ import annotations

import re

from pactkeeper.intent.quality.values import (
    DEFAULT,
    MOST,
    AtomWords,
    Criterion,
    Deduction,
    Dimension,
    Quality,
    QualityVocabulary,
    verdict_of,
)

_VAGUE = ("fast", "quickly", "easy", "easily", "user-friendly", "robust", "appropriate", "properly", "etc", "scalable")


def assess(words: AtomWords, vocabulary: QualityVocabulary = DEFAULT) -> Quality:
    """Score the words of an atom, 0 to 100, with a reason for every point that is missing."""
    found: dict[Criterion, list[Deduction]] = {name: [] for name in MOST}
    for word in (*_VAGUE, *vocabulary.vague_words):
        if word not in vocabulary.clear_words and re.search(rf"\b{re.escape(word)}\b", words.intent, re.IGNORECASE):
            found["falsifiable"].append(Deduction(12, word, "nothing says from when on it holds", "give the measure"))
            found["unambiguous"].append(Deduction(8, word, "readers understand it differently", "give the measure"))
    if not words.outcomes:
        why = "nothing says what can be observed when it holds"
        found["clear success criteria"].append(Deduction(8, "", why, "add an outcome", "outcomes"))
    if not words.falsified_by:
        why = "nothing says what would show that it does not hold"
        found["falsifiable"].append(Deduction(5, "", why, "add a falsifier", "falsified_by"))
    dimensions = tuple(
        Dimension(name, max(0, most - sum(one.points for one in found[name])), most, tuple(found[name]))
        for name, most in MOST.items()
    )
    score = sum(one.points for one in dimensions)
    return Quality(score, verdict_of(score), dimensions)
