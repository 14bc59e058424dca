import pytest

from pactkeeper.errors import InputError, RefusedError, UsageError
from pactkeeper.operators.accept import AcceptedWords, accept_tests
from pactkeeper.operators.questions import (
    TestWords,
    answer_question,
    asked,
    choose_answer,
    pending_questions,
    word_test,
)
from tests.operators.conftest import FILE
from tests.operators.test_asking import GOOD, IT, NEAR, VAGUE

__all__ = ["near", "vague"]
BAD = {**GOOD, "outcomes": ["An e-mail goes to the owner."]}


@pytest.fixture
def vague(shop):
    shop.write(FILE, shop.read(FILE) + VAGUE)
    shop.reconcile()
    return shop


@pytest.fixture
def near(linked):
    linked.write(FILE, linked.read(FILE) + NEAR)
    linked.reconcile()
    return linked


def test_a_question_is_put_with_the_source_of_its_test_and_what_belongs_to_it(vague):
    with vague.open() as workspace:
        (prompt,) = asked(workspace, pending_questions(workspace))
    assert 'run_backup("friday")' in prompt.material
    assert "What belongs to the test" in prompt.material
    assert "run_backup" not in prompt.instructions


def test_a_budget_that_shows_nothing_is_refused(vague):
    with vague.open() as workspace, pytest.raises(UsageError, match="at least 200"):
        asked(workspace, pending_questions(workspace), budget=10)


def test_an_agents_sound_answer_is_worth_as_much_as_a_models(vague):
    with vague.open() as workspace:
        taken = answer_question(workspace, IT, GOOD, answerer="agent", by="an agent")
    assert taken.made is not None
    (create,) = [op for op in taken.made.patch.ops if op.group == IT and op.verb == "createAtom"]
    assert (create.confidence, {one.kind for one in create.evidence}) == ("0.80", {"model"})
    assert create.payload["reasoning"] == "worded by an agent"


def test_an_agent_may_mend_its_answer_once(vague):
    with vague.open() as workspace:
        with pytest.raises(InputError, match="is about it; say only what its lines show; answer once more"):
            answer_question(workspace, IT, BAD, answerer="agent")
        assert answer_question(workspace, IT, GOOD, answerer="agent").made is not None


def test_the_second_refused_answer_of_an_agent_leaves_the_question_to_people(vague):
    with vague.open() as workspace:
        for ending in ("answer once more", "left to people"):
            with pytest.raises(InputError, match=ending):
                answer_question(workspace, IT, BAD, answerer="agent")
        with pytest.raises(RefusedError, match="left to people"):
            answer_question(workspace, IT, GOOD, answerer="agent")
        assert pending_questions(workspace, answerer="agent") == ()
        assert [one.subject for one in pending_questions(workspace)] == [IT]
        assert word_test(workspace, IT, TestWords("The backup of friday runs.")).made is not None


def test_an_answer_that_an_agent_is_unsure_of_is_left_to_people_at_once(vague):
    with vague.open() as workspace:
        with pytest.raises(InputError, match=r"60 is below this pact's minimum of 70.*left to people"):
            answer_question(workspace, IT, {**GOOD, "confidence": 60}, answerer="agent")
        assert pending_questions(workspace, answerer="agent") == ()


def test_a_persons_words_are_taken_and_what_rules_object_to_is_told(vague):
    with vague.open() as workspace:
        taken = word_test(workspace, IT, TestWords("The run_backup happens.", outcomes=("The backup of friday runs.",)))
    assert taken.notes == (
        "intent: 'run_backup' is a name from the code; write it out of the domain, or quote it where it is a value",
    )
    assert taken.made is not None


def test_questions_of_one_kind_and_no_more_than_wanted(vague):
    with vague.open() as workspace:
        assert [one.kind for one in pending_questions(workspace, kind="word_test", limit=1)] == ["word_test"]
        assert pending_questions(workspace, kind="realises") == ()
        with pytest.raises(UsageError, match="'guess' is not a kind of question"):
            pending_questions(workspace, kind="guess")


@pytest.mark.parametrize(("word", "verbs"), [("yes", ["attachTestToAtom"]), ("no", ["createAtom", "attachTestToAtom"])])
def test_a_person_judges_in_one_word(near, word, verbs):
    with near.open() as workspace:
        (question,) = pending_questions(workspace)
        assert choose_answer(workspace, question.id, word).notes == ()
    assert [op.verb for op in near.reconcile().patch.ops] == verbs


def test_a_question_that_takes_sentences_is_not_answered_in_one_word(vague):
    with vague.open() as workspace, pytest.raises(UsageError, match="takes more than 'yes'"):
        choose_answer(workspace, IT, "yes")


def test_a_question_about_a_test_that_was_accepted_in_a_persons_words_is_settled(vague):
    with vague.open() as workspace:
        accept_tests(workspace, [IT], AcceptedWords(intent="The backup runs on Fridays."))
        assert pending_questions(workspace) == ()
        with pytest.raises(UsageError, match="no question"):
            word_test(workspace, IT, TestWords("The backup runs on Fridays."))


def test_a_question_about_a_test_that_is_gone_is_settled(vague):
    vague.replace(FILE, VAGUE, "")
    with vague.open() as workspace:
        assert pending_questions(workspace) == ()
