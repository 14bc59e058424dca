from dataclasses import replace

import pytest

from pactkeeper.errors import InputError
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.question import (
    KINDS,
    Answer,
    Question,
    Refusal,
    answer_shape,
    contested,
    left_to_people,
    observe,
    overdue,
    settle,
    subjects,
    verify_quotes,
    wrong_with,
)
from pactkeeper.ledger.shape import Choice, Items, json_schema
from tests.ledger.strategies import attach, create

SOURCE = 'def test_1():\n    resp = login("old")\n    assert resp.status_code == 401\n'
NOON = "2026-11-20T12:00:00Z"
WORD = Question("word_test", "tests/test_a.py::test_1", {"source": SOURCE})
PICK = Question("choose", "tests/test_a.py::test_2", {}, options=("IA-1", "IA-2"))
WORDS: dict[str, JsonValue] = {
    "intent": "Login: an old token is refused.",
    "category": "security",
    "outcomes": ["The response status code is 401."],
    "quotes": ["assert resp.status_code == 401"],
}


def answer(question: Question, value: JsonValue) -> Answer:
    return Answer(question.id, value, "model", "a small model", NOON)


def test_an_answer_of_the_right_shape_with_real_quotes_is_an_observation():
    seen = observe(answer(WORD, WORDS), WORD, source=SOURCE)
    assert (seen.kind, seen.trust, seen.payload["value"]) == ("answer:word_test", "model", WORDS)


@pytest.mark.parametrize(
    ("answerer", "trust"), [("rules", "machine"), ("person", "human"), ("agent", "model"), ("model", "model")]
)
def test_an_answer_is_trusted_as_far_as_its_answerer(answerer, trust: str):
    assert observe(replace(answer(PICK, "IA-1"), answerer=answerer), PICK, source="").trust == trust


@pytest.mark.parametrize(
    ("question", "value", "problem"),
    [
        (WORD, {**WORDS, "quotes": ["assert resp.status_code == 402"]}, "does not occur in the source"),
        (WORD, {**WORDS, "quotes": []}, "0 members"),
        (WORD, {**WORDS, "mood": "sure"}, "unknown key"),
        (WORD, {**WORDS, "intent": "x" * 301}, "text of a length"),
        (PICK, "IA-3", "not one of IA-1, IA-2"),
        (Question("confirm", "IA-1", {}), "yes", "not true or false"),
    ],
)
def test_an_answer_that_is_not_what_was_asked_for_is_refused(question: Question, value: JsonValue, problem: str):
    with pytest.raises(InputError, match=problem):
        observe(answer(question, value), question, source=SOURCE)


def test_an_answer_to_another_question_is_refused():
    assert "not to" in wrong_with(answer(WORD, "IA-1"), PICK, source="")[0]


def test_quotes_may_be_wrapped_differently_and_nothing_else():
    quotes = ['resp = login("old") assert', "Assert resp", " ", "status_code == 401\n"]
    assert verify_quotes(quotes, SOURCE) == ("Assert resp", " ")


def test_expiry_leaves_a_question_open_and_applies_no_default():
    question = replace(PICK, default="IA-1", expires=NOON)
    assert [overdue(question, now=now) for now in ("2026-11-20T11:59:59Z", NOON)] == [False, True]
    assert not overdue(PICK, now=NOON)
    assert settle([], [question]) == (question,)


def test_when_it_expires_and_what_is_suggested_does_not_make_another_question():
    assert replace(PICK, default="IA-2", expires=NOON).id == PICK.id
    assert replace(PICK, options=("IA-1",)).id != PICK.id


@pytest.mark.parametrize(
    "change", [{"kind": "guess"}, {"options": ()}, {"default": "IA-9"}, {"kind": "confirm"}, {"default": 1}]
)
def test_a_question_that_nobody_could_answer_cannot_be_asked(change):
    with pytest.raises(ValueError, match=r"guess|options|default"):
        replace(PICK, **change)


def test_every_kind_has_a_closed_schema():
    for kind in KINDS.values():
        assert json_schema(kind.answer), kind.name
    assert answer_shape(PICK) == Choice(("IA-1", "IA-2"))
    assert Items(Choice(())) != Items(answer_shape(PICK))


def test_a_subject_is_never_both_an_op_and_a_question():
    op = create("atom:IA-1", "x")
    about = Question("confirm", "tests/test_a.py::atom:IA-1", {})
    assert subjects(op) == {"atom:IA-1", "tests/test_a.py::atom:IA-1"}
    assert contested([op], [about, PICK]) == ("tests/test_a.py::atom:IA-1",)
    assert settle([op], [about, PICK]) == (PICK,)
    assert contested([attach("test:x", None, "IA-1")], [about, PICK]) == ()


def test_who_was_refused_for_good_is_not_asked_again():
    once, twice = Refusal(answer(WORD, WORDS), ("no",)), Refusal(answer(WORD, WORDS), ("no",), final=True)
    assert left_to_people([once], answerer="model") == frozenset()
    assert left_to_people([once, twice], answerer="model") == {WORD.id}
    assert left_to_people([twice], answerer="model", by="another model") == frozenset()
    assert left_to_people([twice], answerer="agent") == frozenset()
