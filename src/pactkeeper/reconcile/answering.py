"""Answers to questions about tests: whose words take the place of the rules', and while what was asked still holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from pactkeeper.intent.inference import Inference
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.question import Answer, Question
from pactkeeper.reconcile.assembling import question_about
from pactkeeper.reconcile.propose import Inferred

KIND = "word_test"


Answered = Sequence[tuple[Question, Answer]]


def answered_tests(answered: Answered) -> frozenset[str]:
    """The tests about which somebody answered."""
    return frozenset(question.subject for question, _ in answered if question.kind == KIND)


def worded(found: Mapping[str, Inferred], answered: Answered) -> dict[str, Inferred]:
    """Put answers in the place of the rules' words, wherever a test still is what was asked about; the latest wins."""
    words = {question.subject: (question, answer) for question, answer in answered if question.kind == KIND}
    return {name: _answered(one, *words[name]) if name in words else one for name, one in found.items()}


def _answered(one: Inferred, question: Question, answer: Answer) -> Inferred:
    if _asked_about(question) != _asked_about(question_about(one)):
        return one
    said = cast("Mapping[str, Any]", answer.value)
    outcomes = tuple(said["outcomes"])
    inference = replace(
        one.inference,
        intent=said["intent"],
        category=said["category"],
        outcomes=outcomes,
        falsified_by=tuple(_opposite(outcome, one.inference) for outcome in outcomes),
        confidence=100,
        reasons=(),
        reasoning=f"worded by {answer.by}",
    )
    return replace(one, inference=inference, worded=True)


def _asked_about(question: Question) -> dict[str, JsonValue]:
    """What was shown, wherever it stood."""
    return {key: value for key, value in question.context.items() if key != "line"}


def _opposite(outcome: str, inference: Inference) -> str:
    known = dict(zip(inference.outcomes, inference.falsified_by, strict=True))
    return known.get(outcome, f"It is not so: {outcome[:1].lower()}{outcome[1:]}")
