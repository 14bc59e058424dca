"""A test with the sentences that somebody made of it, and how much weight their author gives them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from pactkeeper.intent.ids import normalised_intent
from pactkeeper.intent.inference import Inference
from pactkeeper.intent.links import LinkedTest
from pactkeeper.ledger.evidence import Evidence, EvidenceKind
from pactkeeper.ledger.question import Answer, Answerer

PEOPLE: Final = 100
MOST_OF_A_MODEL: Final = 95  # hundredths; what no person said is never certain
LEAST_OF_A_MODEL: Final = 70  # below it an answer is left to people; its number is its own, not a share of readers


@dataclass(frozen=True, slots=True)
class Inferred:
    """A test with the sentences that rules, or where `worded` somebody else, made of it.

    `by` says who that is. `quotes` are the lines of its source that the sentences rest on, by line number counted from
    1; `related_docs` name sections of documents as `path#heading`.
    """

    entry: LinkedTest
    inference: Inference
    quotes: tuple[tuple[int, str], ...]
    worded: bool = False
    related_docs: tuple[str, ...] = ()
    by: Answerer = "rules"

    @property
    def confidence(self) -> str:
        """How sure its author is, as a decimal of two digits, the form that ops carry."""
        return f"{self.inference.confidence / 100:.2f}"

    @property
    def strength(self) -> EvidenceKind:
        """What its lines are worth as evidence: a model's reading of them is a model's word."""
        return "model" if self.by in {"model", "agent"} else "quoted"


def told_apart(inferred: Iterable[Inferred]) -> tuple[Inferred, ...]:
    """Hold back sentences that tests with different bodies share: such a sentence says what none of them is for."""
    every = tuple(inferred)
    bodies: dict[str, set[str]] = {}
    for one in every:
        if not one.worded and one.inference.intent:
            bodies.setdefault(normalised_intent(one.inference.intent), set()).add(one.entry.test.body_hash)
    shared = {text for text, found in bodies.items() if len(found) > 1}
    return tuple(held_back(one) if _sentence(one) in shared else one for one in every)


def _sentence(one: Inferred) -> str:
    return "" if one.worded else normalised_intent(one.inference.intent)


def held_back(one: Inferred) -> Inferred:
    """The same below the bar, because other tests or atoms have its sentence."""
    return replace(one, inference=one.inference.held_back("shared_sentence"))


def evidence_of(one: Inferred) -> tuple[Evidence, ...]:
    """The quoted source lines that the sentences rest on; the declaration itself where there is no assertion."""
    test = one.entry.test
    said = "" if one.strength == "quoted" else one.inference.reasoning
    lines = tuple(Evidence(one.strength, test.file, line, quote=quote, note=said) for line, quote in one.quotes)
    if lines:
        return lines
    if one.strength == "model":
        return (Evidence("model", test.file, test.name_line, note=said),)
    return (mechanical(one, "the test's name; it asserts nothing"),)


def mechanical(one: Inferred, note: str) -> Evidence:
    """What was seen at the test's name, without reading a meaning into it."""
    return Evidence("mechanical", one.entry.test.file, one.entry.test.name_line, note=note)


def sureness(answer: Answer) -> int:
    """How sure an answer counts as, in hundredths: a person's holds, any other says it and is never certain."""
    if answer.answerer == "person":
        return PEOPLE
    said = answer.value.get("confidence") if isinstance(answer.value, dict) else None
    return min(said, MOST_OF_A_MODEL) if isinstance(said, int) else 0
