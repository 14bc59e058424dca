"""What a test means as far as somebody wrote it down, what it checks, and why it needs words or a second look."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from pactkeeper.intent.answers.names import ERROR_NAME
from pactkeeper.intent.atoms import Category
from pactkeeper.intent.claims import (
    AmbiguityReason,
    Attribute,
    Call,
    Expression,
    Name,
    Subscript,
    TestEvidence,
    descendants,
)
from pactkeeper.intent.pact import Settings
from pactkeeper.intent.quality import AtomWords
from pactkeeper.intent.wording import category_of, tags_of
from pactkeeper.intent.wording.intents import Intent, Origin, intent_of, length, unsaid
from pactkeeper.intent.wording.outcomes import outcomes_of

MAX_OUTCOMES: Final = 20
BAR: Final = round(100 * Settings().inference_threshold)
SAID: Final = {
    "docstring": "its docstring states the behaviour",
    "title": "its title states the behaviour",
    "name": "only its name says what it is for",
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
    reasons = tuple(reason for reason, rule in _RULES if rule(evidence, outcomes, intent))
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
        return "its assertions can't be shown in one line" if long else "what it asserts could not be read"
    if "skip" in evidence.markers:
        return "the test is skipped"
    if intent.origin == "name":
        return "a name counts only once a person confirms it"
    return f"it has only {length(intent.bare)} words"


def _but(said: str, reasons: Sequence[AmbiguityReason], seen: str, sure: int) -> str:
    stops = [STOPS[one] for one in reasons if one in STOPS] or ([seen] if seen and sure < BAR else [])
    return f"{said}, but {' and '.join(stops)}." if stops else f"{said}."


_Rule = Callable[[TestEvidence, Sequence[str], Intent | None], bool]
CALLS = frozenset({"called", "called_times", "called_with"})


def _kinds(evidence: TestEvidence) -> frozenset[str]:
    return frozenset(claim.relation for claim in evidence.claims)


def _private(evidence: TestEvidence, _outcomes: Sequence[str], _intent: Intent | None) -> bool:
    return any(private_names(claim.subject) for claim in evidence.claims)


def private_names(one: Expression | None) -> bool:
    """Whether an expression reaches a member whose name starts with a single underscore."""
    match one:
        case Attribute(value=value, name=name):
            return (name.startswith("_") and not name.startswith("__")) or private_names(value)
        case Subscript(value=value):
            return private_names(value)
        case Call(function=function):
            return private_names(function)
        case Name(name=name):
            return name.startswith("_") and len(name) > 1 and not name.startswith("__")
    return False


def _disagrees(evidence: TestEvidence, _outcomes: Sequence[str], intent: Intent | None) -> bool:
    """Whether the sentence names errors, the test expects others, and nothing in it speaks of the named ones."""
    named = frozenset(ERROR_NAME.findall(intent.bare)) if intent else frozenset()
    raised = [claim.subject for claim in evidence.claims if claim.relation in {"raises", "warns"}]
    if not named or not raised:
        return False
    spoken = frozenset(one.name for one in _with_parts(raised, evidence) if isinstance(one, Name | Attribute))
    return not any(_related(each, one) for each in spoken for one in named)


def _with_parts(raised: Sequence[Expression], evidence: TestEvidence) -> Iterator[Expression]:
    yield from evidence.expressions()
    for one in raised:
        yield from descendants(one)


def _related(one: str, other: str) -> bool:
    """Whether two classes are the same or, among the built-in errors, one is a kind of the other."""
    kinds = [kind for kind in (getattr(builtins, one, None), getattr(builtins, other, None)) if isinstance(kind, type)]
    return one == other or (len(kinds) == 2 and (issubclass(*kinds) or issubclass(*reversed(kinds))))  # noqa: PLR2004


_RULES: tuple[tuple[AmbiguityReason, _Rule], ...] = (
    ("no_sentence", lambda _evidence, _outcomes, intent: intent is None),
    ("no_assertion", lambda evidence, _outcomes, _intent: not (evidence.claims or evidence.reasons)),
    ("expected_failure", lambda evidence, _outcomes, _intent: evidence.expects != "pass"),
    (
        "call_count_assertion",
        lambda evidence, _outcomes, _intent: (
            "called_times" in _kinds(evidence) and _kinds(evidence) <= {"called", "called_times"}
        ),
    ),
    ("mock_only", lambda evidence, _outcomes, _intent: bool(evidence.claims) and _kinds(evidence) <= CALLS),
    ("snapshot_only", lambda evidence, _outcomes, _intent: _kinds(evidence) == {"snapshot"}),
    ("name_disagrees", _disagrees),
    ("private_access", _private),
    (
        "unresolvable_value",
        lambda evidence, outcomes, _intent: (
            "unresolvable_value" in evidence.reasons or (bool(evidence.claims) and not outcomes)
        ),
    ),
)

SHORT: Final = 6
ACCEPTED: Final[Mapping[tuple[Origin, bool], int]] = {
    ("docstring", False): 72,
    ("docstring", True): 50,
    ("title", False): 82,
    ("title", True): 55,
    ("name", False): 36,
    ("name", True): 36,
}
"""Readers of a hundred who grade the sentence 4 or 5 of 5, by where it stood and whether it is short."""
DOUBTED: Final = 30
"""At most this, whoever wrote the sentence, where nothing shows that it is what the test checks."""
STOPS: Final[Mapping[AmbiguityReason, str]] = {
    "name_disagrees": "it names an error that the test does not expect",
    "shared_sentence": "other tests or atoms have the same sentence",
    "no_assertion": "no assertion was found in it",
    "expected_failure": "the test is expected to fail",
    "snapshot_only": "it only compares with a stored snapshot",
    "call_count_assertion": "it only counts calls",
    "mock_only": "it only checks how its fakes were called",
}
"""The reasons that make a sentence doubted, worded to follow "but"."""


def confidence_of(intent: Intent, evidence: TestEvidence, reasons: tuple[AmbiguityReason, ...], *, shown: bool) -> int:
    """The share in hundredths; `shown` means that at least one assertion can be shown beside the sentence."""
    doubted = not shown or "skip" in evidence.markers or any(one in STOPS for one in reasons)
    share = ACCEPTED[intent.origin, length(intent.bare) <= SHORT]
    return min(share, DOUBTED) if doubted else share
