from dataclasses import replace

import pytest

from pactkeeper.errors import InputError
from pactkeeper.ledger.question import Answer, Question, Refusal
from pactkeeper.store.questions import (
    answered_questions,
    open_questions,
    refusals,
    save_answer,
    save_questions,
    save_refusal,
)
from pactkeeper.store.runs import update_run
from tests.store.rows import AT, LATER, begin_run, make_question


def answer(question, value=True, **fields):
    return Answer(question.id, value, "person", **{"by": "Ada", "at": AT, **fields})


def test_a_question_comes_back_with_every_field(history):
    begin_run(history)
    asked = (
        Question("choose", "test:a", {"tests": ["a", {"b": 1}]}, ("one", "two"), "one", LATER),
        make_question(default=False),
    )
    save_questions(history, "REC-1", asked)
    assert open_questions(history) == asked


def test_the_same_question_is_stored_once_with_its_latest_default(history):
    begin_run(history)
    first, second = make_question("a"), make_question("b")
    save_questions(history, "REC-1", [first, second])
    save_questions(history, "REC-1", [make_question("c"), replace(first, default=True)])
    assert open_questions(history) == (replace(first, default=True), second, make_question("c"))


def test_an_answered_question_is_not_open(history):
    begin_run(history)
    one, two = make_question("a"), make_question("b")
    save_questions(history, "REC-1", [one, two])
    save_answer(history, answer(one))
    assert open_questions(history) == (two,)
    assert answered_questions(history) == ((one, answer(one)),)


def test_a_question_answered_once_is_answered_for_later_runs(history):
    begin_run(history, "REC-1")
    begin_run(history, "REC-2")
    question = make_question()
    save_questions(history, "REC-1", [question])
    save_answer(history, answer(question))
    save_questions(history, "REC-2", [question])
    assert open_questions(history, run="REC-2") == ()


def test_a_later_answer_replaces_the_earlier(history):
    begin_run(history)
    question = make_question()
    save_questions(history, "REC-1", [question])
    for value in (True, False, False):
        save_answer(history, answer(question, value))
    assert answered_questions(history) == ((question, answer(question, value=False)),)


@pytest.mark.parametrize("value", [None, "text", ["a", 1], {"intent": "é", "quotes": []}, 0])
def test_any_answer_comes_back_as_it_was(history, value):
    begin_run(history)
    question = make_question()
    save_questions(history, "REC-1", [question])
    save_answer(history, answer(question, value))
    assert answered_questions(history) == ((question, answer(question, value)),)


def test_all_answers_come_with_their_questions_in_the_order_of_answering(history, neighbour):
    for one in (history, neighbour):
        begin_run(one)
        save_questions(one, "REC-1", [make_question("a"), make_question("b"), make_question("open")])
    save_answer(history, answer(make_question("b")))
    save_answer(history, answer(make_question("a"), at=LATER))
    save_answer(neighbour, answer(make_question("open")))
    asked = answered_questions(history)
    assert [(question.subject, given.at) for question, given in asked] == [("b", AT), ("a", LATER)]


def test_questions_of_one_run_or_of_all(history):
    begin_run(history, "REC-1")
    begin_run(history, "REC-2")
    save_questions(history, "REC-1", [make_question("a"), make_question("both")])
    save_questions(history, "REC-2", [make_question("both"), make_question("b")])
    assert [one.subject for one in open_questions(history, run="REC-2")] == ["both", "b"]
    assert [one.subject for one in open_questions(history)] == ["a", "both", "b"]


@pytest.mark.parametrize("status", ["failed", "cancelled"])
def test_nobody_waits_for_the_questions_of_a_run_that_broke_off(history, status):
    run = begin_run(history)
    save_questions(history, run.id, [make_question()])
    update_run(history, replace(run, status=status))
    assert open_questions(history) == ()
    assert open_questions(history, run=run.id) == (make_question(),)


def test_an_answer_to_a_question_that_nobody_asked_is_refused(history, neighbour):
    begin_run(neighbour)
    save_questions(neighbour, "REC-1", [make_question()])
    with pytest.raises(InputError, match=f"no run asked the question '{make_question().id}'"):
        save_answer(history, answer(make_question()))
    assert open_questions(neighbour) == (make_question(),)


def test_questions_of_an_unknown_run_are_refused(history):
    with pytest.raises(InputError, match="no run 'REC-1'"):
        save_questions(history, "REC-1", [make_question()])


def test_two_repositories_answer_for_themselves(history, neighbour):
    for one in (history, neighbour):
        begin_run(one)
        save_questions(one, "REC-1", [make_question()])
    save_answer(neighbour, answer(make_question()))
    assert answered_questions(history) == ()
    assert open_questions(history) == (make_question(),)


def test_a_refused_answer_comes_back_with_its_reasons_and_leaves_the_question_open(history):
    begin_run(history)
    save_questions(history, "REC-1", [make_question("a"), make_question("b")])
    first = Refusal(answer(make_question("a"), {"intent": "é"}), ("it is wrong", "it is long"))
    second = Refusal(answer(make_question("b"), None), ("it says nothing",), final=True)
    for one in (first, second, first):
        save_refusal(history, one)
    assert refusals(history) == (first, second)
    assert refusals(history, make_question("b").id) == (second,)
    assert [one.subject for one in open_questions(history)] == ["a", "b"]


def test_a_refused_answer_belongs_to_its_repository(history, neighbour):
    save_refusal(neighbour, Refusal(answer(make_question()), ("it is wrong",)))
    assert refusals(history) == ()
