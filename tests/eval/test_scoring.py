"""What the measures of `bench/eval` count, on answers whose worth is plain."""

import pytest

from bench.eval.cases import SETS, Case, Label, cases
from bench.eval.paraphrase import paraphrased
from bench.eval.scoring import Row, Said, measures
from bench.eval.signals import Score

INTENT = Label.of("A {s:login} with an {c:expired} token is {o:refused|rejected}.")
CASE = Case("a.py", "test_a", 'assert login("old") == 401', INTENT, (Label.of("The {status} is {401}."),), (), "")


def row(intent="A login with an expired token is rejected.", outcomes=("The status is 401.",), **said):
    return Row(CASE, Said(intent, outcomes, 90, said.pop("taken", True), **said))


def test_other_words_of_the_label_and_other_endings_count():
    assert row("Expired logins are rejected.").facets == (3, 3)
    assert row("A login is refused.").facets == (2, 3)


def test_number_of_a_label_has_to_be_said():
    assert row(outcomes=("The status is 402.",)).right_outcomes == 0


def test_objection_makes_an_answer_inadequate():
    assert row().adequate
    assert not row(objections=("a name from the code",)).adequate


@pytest.mark.parametrize(
    "outcome", ["It takes 4711 tries.", "It says “bye”.", "The error_code is set.", "login() fails."]
)
def test_values_and_names_that_the_source_does_not_hold_are_inventions(outcome):
    assert row(outcomes=(outcome,)).inventions
    assert not row(outcomes=("The status of 'old' is 401.",)).inventions


def test_abstaining_is_right_only_where_nothing_can_be_said():
    unclear = Row(Case("a.py", "test_1", "", None, (), (), "generic_name"), Said("", (), 10, taken=False))
    found = measures([row(taken=False), unclear])
    assert (found["abstention precision"], found["abstention recall"]) == ("50% (1/2)", "100% (1/1)")


def test_ranking_is_worth_more_the_earlier_the_right_ones_come():
    first, last = Score(), Score()
    first.add({"a": 3.0, "b": 2.0}, {"a"})
    last.add({"a": 2.0, "b": 3.0}, {"a"})
    assert (first.figures[3], last.figures[3]) == (1.0, 0.5)
    assert first.figures[2] == last.figures[2] == pytest.approx(2 / 3)


def test_paraphrase_keeps_the_first_word_and_changes_others():
    assert paraphrased("test_missing_token_is_refused") == "test_absent_token_is_rejected"


@pytest.mark.parametrize("which", SETS)
def test_every_labelled_test_has_a_label_that_its_own_sentence_meets(which):
    found = cases(which)
    assert len(found) >= 60
    wrong = [
        one.name
        for one in found
        for label in (one.intent, *one.outcomes)
        if label and not label.said_in(label.sentence)
    ]
    assert wrong == []
