import pytest

from pactkeeper.errors import InputError, UsageError
from pactkeeper.ledger.finding import weakest
from pactkeeper.operators.conflicts import find_conflicts
from pactkeeper.operators.driving import raise_questions
from pactkeeper.operators.questions import answer_question, asked, pending_questions
from tests.operators.atoms import change, commit, declare, run, table

COMPOUND = "The basket is emptied and the invoice is sent."
EMPTIED = {"intent": "The basket is emptied.", "outcomes": ["The basket is emptied."]}
SENT = {"intent": "The invoice is sent.", "outcomes": ["The invoice is sent."]}
SPLIT = {"parts": [EMPTIED, SENT], "quotes": ["the invoice is sent"], "confidence": 90, "ambiguity": []}
BETTER = {**EMPTIED, "quotes": ["The basket"], "confidence": 80, "ambiguity": []}


def answered(shop, atom, value, **options):
    return run(shop, answer_question, atom, value, **options)


def test_better_words_are_asked_for_where_rules_find_some_wanting(shop):
    poor, _ = declare(shop, "The basket works correctly."), declare(shop, **good())
    (question,) = run(shop, raise_questions, "better_words")
    assert (question.subject, question.kind) == (poor, "better_words")
    assert any("'works correctly'" in one for one in question.context["lacks"])
    assert run(shop, pending_questions) == (question,)


def good():
    return {
        "intent": "An order that is paid twice is refused.",
        "outcomes": ("The second payment is refused.",),
        "falsified_by": ("The second payment is accepted.",),
    }


def test_better_words_of_an_agent_are_an_op_of_a_models_weight_that_waits(shop):
    atom = declare(shop, "The basket is emptied correctly.", outcomes=("The basket is emptied well.",))
    run(shop, raise_questions, "better_words", [atom])
    (op,) = answered(shop, atom, BETTER, answerer="agent").patch.ops
    assert (op.verb, op.payload["description"], op.confidence) == ("updateAtom", EMPTIED["intent"], "0.80")
    assert weakest(op.evidence) == "model"
    assert table(shop, atom).intent == "The basket is emptied correctly."


def test_a_sentence_is_split_into_the_atom_and_a_new_one(shop):
    atom = declare(shop, COMPOUND)
    run(shop, raise_questions, "split_intent")
    patch = answered(shop, atom, SPLIT).patch
    assert [op.verb for op in patch.ops] == ["updateAtom", "createAtom"]
    shop.decide(patch, "accept")
    assert table(shop, atom).intent == EMPTIED["intent"]
    assert run(shop, raise_questions, "split_intent") == ()


def test_one_part_says_that_it_is_one_behaviour_and_it_is_not_asked_again(shop):
    atom = declare(shop, COMPOUND)
    run(shop, raise_questions, "split_intent")
    whole = {"intent": COMPOUND, "outcomes": [COMPOUND]}
    assert answered(shop, atom, {**SPLIT, "parts": [whole]}).patch is None
    assert run(shop, raise_questions, "split_intent") == ()


def test_an_answer_about_words_that_changed_meanwhile_proposes_nothing(shop):
    atom = declare(shop, COMPOUND)
    run(shop, raise_questions, "split_intent")
    change(shop, atom, intent="The basket is emptied and the invoice is kept.")
    assert answered(shop, atom, SPLIT).patch is None


def test_two_atoms_that_may_contradict_are_asked_about_and_people_decide(shop):
    pair = [declare(shop, "A session lasts 30 minutes."), declare(shop, "A session lasts 60 minutes.")]
    (question,) = run(shop, raise_questions, "contradiction")
    assert question.subject.split() == sorted(pair)
    verdict = {"verdict": "contradict", "quotes": ["30 minutes"], "confidence": 90}
    with pytest.raises(InputError, match="quote from each"):
        answered(shop, question.id, verdict, answerer="agent")
    quoted = {**verdict, "quotes": ["30 minutes", "60 minutes"]}
    assert answered(shop, question.id, quoted, answerer="agent").patch is None
    (row,) = run(shop, find_conflicts).rows
    assert row.judged.value["verdict"] == "contradict"
    assert run(shop, raise_questions, "contradiction") == ()


def test_an_atom_has_one_open_question(shop):
    atom = declare(shop, COMPOUND)
    assert [one.subject for one in run(shop, raise_questions, "split_intent")] == [atom]
    assert run(shop, raise_questions, "better_words") == ()


def test_committed_words_are_not_asked_about(shop):
    atom = declare(shop, COMPOUND)
    commit(shop, atom)
    assert run(shop, raise_questions, "split_intent") == ()


def test_what_runs_ask_is_not_raised_by_hand(shop):
    declare(shop, COMPOUND)
    with pytest.raises(UsageError, match="'word_test' is raised only by a run"):
        run(shop, raise_questions, "word_test")


def test_a_raised_question_is_put_with_the_source_of_its_tests(linked):
    (atom,) = {name for name, one in linked.world().pact.atoms.items() if "adds" in one.intent}
    change(linked, atom, intent="The sum.")
    run(linked, raise_questions, "better_words", [atom])
    with linked.open() as workspace:
        (prompt,) = asked(workspace, pending_questions(workspace))
    assert "assert add(1, 2) == 3" in prompt.material
