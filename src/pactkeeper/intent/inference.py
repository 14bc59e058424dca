"""What a test means, inferred by rules from its name and its claims; the same evidence gives the same bytes."""

from __future__ import annotations

from dataclasses import dataclass

from pactkeeper.intent.atoms import Category
from pactkeeper.intent.claims import AmbiguityReason, TestEvidence
from pactkeeper.intent.wording.ambiguity import ambiguities
from pactkeeper.intent.wording.categories import category_of, tags_of
from pactkeeper.intent.wording.confidence import confidence_of, reasoning_of
from pactkeeper.intent.wording.intents import intent_of
from pactkeeper.intent.wording.rows import row_by_row
from pactkeeper.intent.wording.sentences import outcomes_of
from pactkeeper.intent.wording.vocabulary import Vocabulary

MAX_OUTCOMES = 12


@dataclass(frozen=True, slots=True)
class Inference:
    """A proposed atom for one test.

    `confidence` is in hundredths, 0 to 100. `outcomes` state only what assertions state, and `falsified_by` are their
    opposites in the same order; what could not be put into words is in neither and is named by `reasons`.
    """

    intent: str
    outcomes: tuple[str, ...]
    falsified_by: tuple[str, ...]
    category: Category
    confidence: int
    reasons: tuple[AmbiguityReason, ...]
    tags: tuple[str, ...]
    reasoning: str


def infer(evidence: TestEvidence, vocabulary: Vocabulary | None = None) -> Inference:
    """Infer the behaviour one test observes."""
    evidence = row_by_row(evidence)
    worded = outcomes_of(evidence, vocabulary or Vocabulary())
    sure = tuple(one for one in worded if one.sure)[:MAX_OUTCOMES]
    intent = intent_of(evidence, sure)
    reasons = ambiguities(evidence, worded, intent)
    weights = confidence_of(evidence, worded, intent, reasons)
    return Inference(
        intent=intent.text,
        outcomes=tuple(one.sentence for one in sure),
        falsified_by=tuple(one.falsifier for one in sure),
        category=category_of(evidence, intent.text),
        confidence=max(0, min(100, sum(points for points, _ in weights))),
        reasons=reasons,
        tags=tags_of(evidence),
        reasoning=reasoning_of(weights, reasons),
    )
