"""Answers to questions about tests: whose words take the place of the rules', and while what was asked still holds."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, cast

from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.question import Answer, Question
from pactkeeper.reconcile.assembling import question_about
from pactkeeper.reconcile.inferred import Inferred, sureness

KIND: Final = "word_test"
# Kinds whose subject is a test: who answers them wants the test to be looked at again.
ABOUT_TESTS: Final = frozenset({KIND, "realises", "split_intent"})

Answered = Sequence[tuple[Question, Answer]]


def answered_tests(answered: Answered) -> frozenset[str]:
    """The tests about which somebody answered."""
    return subjects_of(question for question, _ in answered)


def subjects_of(questions: Iterable[Question]) -> frozenset[str]:
    """The tests that some of these questions are about."""
    return frozenset(one.subject for one in questions if one.kind in ABOUT_TESTS)


def by_question(answered: Answered) -> dict[str, Answer]:
    """The answers by the id of their question."""
    return {question.id: answer for question, answer in answered}


def worded(found: Mapping[str, Inferred], answered: Answered, *, linked: Collection[str] = ()) -> dict[str, Inferred]:
    """Put answers in the place of the rules' words, wherever a test still is what was asked about; the latest wins.

    Of the tests that are `linked` already, only a person's answer is taken: their atoms have words.
    """
    words = {question.subject: (question, answer) for question, answer in answered if question.kind == KIND}
    return {
        name: _answered(one, *words[name]) if name in words and _may(words[name][1], name in linked) else one
        for name, one in found.items()
    }


def _may(answer: Answer, linked: bool) -> bool:
    return not linked or answer.answerer == "person"


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
        falsified_by=tuple(said.get("falsified_by", ())),
        confidence=sureness(answer),
        reasons=tuple(said.get("ambiguity", ())),
        reasoning=f"worded by {answer.by}",
    )
    quotes = one.quotes if answer.answerer == "person" else _located(one, said["quotes"])
    return replace(one, inference=inference, quotes=quotes, worded=True, by=answer.answerer)


def _located(one: Inferred, quotes: Sequence[str]) -> tuple[tuple[int, str], ...]:
    """An answer's quotes with their lines, as far as rules know them; else the line of the test's name."""
    lines = {" ".join(quote.split()): line for line, quote in one.quotes}
    return tuple((lines.get(" ".join(quote.split()), one.entry.test.name_line), quote) for quote in quotes)


def _asked_about(question: Question) -> dict[str, JsonValue]:
    """What was shown, wherever it stood."""
    return {key: value for key, value in question.context.items() if key not in {"line", "objections"}}
