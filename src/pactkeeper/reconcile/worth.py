"""How good the words are that a run proposes, and which ops are too poor to be taken without being read."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from pactkeeper.intent.inference import Inference
from pactkeeper.intent.quality import AtomWords, Quality, QualityVocabulary, assess
from pactkeeper.ledger.op import Op

MOST_NAMED = 5  # objections that a question repeats


def quality_of(said: Inference, vocabulary: QualityVocabulary) -> Quality:
    """Judge the words that were made of a test."""
    return assess(AtomWords(said.intent, said.outcomes, said.falsified_by, said.category), vocabulary)


def objections(said: Inference, vocabulary: QualityVocabulary) -> tuple[str, ...]:
    """What the words lost points for, the dearest first, in sentences for whoever words the test better."""
    lost = sorted(quality_of(said, vocabulary).deductions, key=lambda one: -one.points)
    found = (f"{one.words!r}: {one.why}" if one.words else one.why for one in lost)
    return tuple(dict.fromkeys(found))[:MOST_NAMED]


def is_poor(op: Op, threshold: int) -> bool:
    """Whether the op's own words score below the threshold; words that nobody could judge do not."""
    score = op.payload.get("qualityScore")
    return isinstance(score, int) and score < threshold


def poor_ops(ops: Iterable[Op], threshold: int) -> frozenset[str]:
    """The ids of the ops whose words score below the threshold, and of all that cannot be applied without them."""
    every = tuple(ops)
    poor: set[str] = {one.id for one in every if is_poor(one, threshold)}
    while more := {one.id for one in every if one.id not in poor and _rests_on(one, poor)}:
        poor |= more
    return frozenset(poor)


def _rests_on(op: Op, poor: Collection[str]) -> bool:
    return any(name in poor for name in op.depends_on)
