"""What a test means, as far as somebody wrote it down, and what it checks; equal evidence yields equal bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from pactkeeper.intent.atoms import Category
from pactkeeper.intent.claims import AmbiguityReason, TestEvidence
from pactkeeper.intent.pact import Settings
from pactkeeper.intent.quality import AtomWords
from pactkeeper.intent.wording.intents import Intent, Origin, intent_of, unsaid
from pactkeeper.intent.wording.outcomes import outcomes_of
from pactkeeper.intent.wording.reasons import DOUBTED, STOPS, confidence_of, reasons_of
from pactkeeper.intent.wording.stating import length
from pactkeeper.intent.wording.tables import category_of, tags_of

MAX_OUTCOMES: Final = 20
BAR: Final = round(100 * Settings().inference_threshold)
SAID: Final = {
    "docstring": "its docstring states the behaviour",
    "title": "its title states the behaviour",
    "name": "only its name can say what it is for",
}


@dataclass(frozen=True, slots=True)
class Inference:
    """A proposed atom for one test; `intent` is empty if nobody wrote a sentence.

    `confidence` is in hundredths, 0 to 100: how many readers out of a hundred accept such a sentence. An outcome
    between backticks is code. `falsified_by` is empty unless somebody wrote it.
    """

    intent: str
    outcomes: tuple[str, ...]
    falsified_by: tuple[str, ...]
    category: Category
    confidence: int
    reasons: tuple[AmbiguityReason, ...]
    tags: tuple[str, ...]
    reasoning: str
    origin: Origin | Literal["nothing"] = "nothing"

    def held_back(self, reason: AmbiguityReason) -> Inference:
        """Return the same inference with one more reason that keeps it below the bar."""
        sure = min(self.confidence, DOUBTED)
        said = _but(SAID[self.origin], (reason,), "", sure) if self.origin != "nothing" else self.reasoning
        return replace(self, confidence=sure, reasons=(*self.reasons, reason), reasoning=said)


def infer(evidence: TestEvidence) -> Inference:
    """Infer the behaviour that one test observes."""
    outcomes = outcomes_of(evidence)
    intent = intent_of(evidence)
    reasons = reasons_of(evidence, outcomes, intent)
    category = category_of(evidence.markers)
    words = AtomWords(intent.text if intent else "", outcomes[:MAX_OUTCOMES], category=category)
    sure, said = 0, f"{unsaid(evidence)}."
    if intent:
        sure = confidence_of(intent, evidence, reasons, shown=bool(outcomes))
        said = _but(SAID[intent.origin], reasons, _seen(intent, evidence, shown=bool(outcomes)), sure)
    return Inference(
        intent=words.intent,
        outcomes=words.outcomes,
        falsified_by=(),
        category=category,
        confidence=sure,
        reasons=reasons,
        tags=tags_of(evidence),
        reasoning=said,
        origin=intent.origin if intent else "nothing",
    )


def _seen(intent: Intent, evidence: TestEvidence, *, shown: bool) -> str:
    """Return what keeps a sentence below the bar, besides the reasons: the first condition that applies."""
    if not shown:
        long = any(one.quote for one in evidence.claims)
        return "its assertions can't be shown in a line" if long else "what it asserts could not be read"
    if "skip" in evidence.markers:
        return "the test is skipped"
    if intent.origin == "name":
        return "few readers accept a name as a sentence"
    return f"it has only {length(intent.bare)} words"


def _but(said: str, reasons: Sequence[AmbiguityReason], seen: str, sure: int) -> str:
    stops = [STOPS[one] for one in reasons if one in STOPS] or ([seen] if seen and sure < BAR else [])
    return f"{said}, but {' and '.join(stops)}." if stops else f"{said}."
