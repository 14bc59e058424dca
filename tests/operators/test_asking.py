from dataclasses import replace

import pytest

from pactkeeper.errors import ModelUnavailable
from pactkeeper.intent.records import Wanted
from pactkeeper.ledger.answering import Budget, BudgetLimits
from pactkeeper.ledger.finding import weakest
from pactkeeper.operators.driving import running
from pactkeeper.operators.questions import pending_questions
from pactkeeper.operators.recommendations import list_recommendations
from pactkeeper.operators.runs import show_run
from pactkeeper.store.questions import answered_questions, refusals
from pactkeeper.store.runs import list_runs, update_run
from tests.operators.asked import drive_on, reconcile_asking
from tests.operators.conftest import FILE
from tests.reconcile.asking import Scripted, words

VAGUE = """

def test_it():
    run_backup("friday")
"""
IT = f"{FILE}::test_it"
GOOD = words(
    "A backup of friday runs.", "The backup of friday runs.", 'run_backup("friday")', ambiguity=["no_assertion"]
)


@pytest.fixture
def vague(shop):
    shop.write(FILE, shop.read(FILE) + VAGUE)
    return shop


def about(made, test):
    return [op for op in made.patch.ops if op.group == test]


def test_a_model_words_what_rules_cannot(vague):
    made = reconcile_asking(vague, Scripted({"word_test": GOOD}))
    create, attach = about(made, IT)
    assert create.payload["description"] == "A backup of friday runs."
    assert (create.confidence, create.payload["ambiguityReasons"]) == ("0.80", ["no_assertion"])
    assert {weakest(create.evidence), weakest(attach.evidence)} == {"model"}
    with vague.open() as workspace:
        assert pending_questions(workspace) == ()


def test_what_a_model_says_waits_for_a_person(vague):
    made = reconcile_asking(vague, Scripted({"word_test": {**GOOD, "confidence": 90}}))
    assert (made.run.status, made.applied) == ("paused", None)


def test_a_run_without_a_model_leaves_the_question(vague):
    made = vague.reconcile()
    assert [one.kind for one in made.patch.questions] == ["word_test"]
    assert "asked" not in made.run.summary


def test_an_answer_that_rules_object_to_leaves_the_question_to_people(vague):
    asker = Scripted({"word_test": {**GOOD, "outcomes": ["An e-mail goes to the owner."]}})
    made = reconcile_asking(vague, asker)
    assert [one.subject for one in made.patch.questions] == [IT]
    with vague.open() as workspace:
        (refused,) = refusals(workspace.history())
    assert "is about it" in refused.reasons[0]
    assert made.run.summary["refused"] == 1


def test_a_model_that_says_it_answered_is_judged_all_the_same(vague):
    asker = Scripted({"word_test": {**GOOD, "quotes": ["assert True"]}}, honest=False)
    made = reconcile_asking(vague, asker)
    assert about(made, IT) == []
    with vague.open() as workspace:
        assert refusals(workspace.history())[0].reasons == ("'assert True' does not occur in the source",)


def test_an_answer_that_is_too_unsure_leaves_the_question_to_people(vague):
    made = reconcile_asking(vague, Scripted({"word_test": {**GOOD, "confidence": 60}}))
    assert [one.subject for one in made.patch.questions] == [IT]
    with vague.open() as workspace:
        assert "60 is below this pact's minimum of 70" in refusals(workspace.history())[0].reasons[0]
        assert [one.subject for one in pending_questions(workspace)] == [IT]


def test_who_was_refused_is_not_asked_again_and_another_is(vague):
    bad = Scripted({"word_test": {**GOOD, "confidence": 60}})
    reconcile_asking(vague, bad)
    reconcile_asking(vague, bad)
    assert len(bad.prompts) == 1
    assert len(about(reconcile_asking(vague, Scripted({"word_test": GOOD}, name="another")), IT)) == 2


def test_a_model_that_is_set_up_later_is_asked_what_a_run_left_open(vague):
    vague.reconcile()
    assert len(about(reconcile_asking(vague, Scripted({"word_test": GOOD})), IT)) == 2


def test_a_second_run_on_unchanged_input_asks_nothing_and_proposes_nothing(vague):
    reconcile_asking(vague, Scripted({"word_test": GOOD}))
    again = Scripted({"word_test": GOOD})
    assert reconcile_asking(vague, again).patch.ops == ()
    assert again.prompts == []


def test_an_answered_question_is_asked_once(vague):
    first, second = Scripted({"word_test": GOOD}), Scripted({"word_test": GOOD})
    made = reconcile_asking(vague, first)
    with vague.open() as workspace, running(workspace) as held:
        history = workspace.history()
        run = replace(made.run, status="failed", phase="infer_atoms")
        update_run(history, run)
        drive_on(workspace, held, list_runs(history)[0], second)
        assert len(answered_questions(history)) == 1
    assert (len(first.prompts), second.prompts) == (1, [])


def test_a_model_that_nobody_can_reach_leaves_the_questions_and_says_so(vague, capsys):
    made = reconcile_asking(vague, Scripted({"word_test": ModelUnavailable("no route to the model")}))
    assert [one.subject for one in made.patch.questions] == [IT]
    assert "no route to the model; the remaining questions are left to people" in capsys.readouterr().out


def test_the_budget_stops_the_asking_and_the_run_says_so(vague, capsys):
    vague.write("tests/test_more.py", VAGUE + VAGUE.replace("_it", "_that"))
    made = reconcile_asking(vague, Scripted({"word_test": GOOD}), budget=Budget(BudgetLimits(model_calls=1)))
    assert made.run.summary["over_budget"] == 2
    assert (made.run.summary["asked"], made.run.summary["model_calls"], made.run.summary["money"]) == (1, 1, 7)
    assert len(made.patch.questions) == 2
    assert "model_calls: 2 needed, 1 allowed; a person must decide" in capsys.readouterr().out


def test_the_trace_counts_what_was_asked(vague):
    made = reconcile_asking(vague, Scripted({"word_test": GOOD}))
    with vague.open() as workspace:
        trace = {event.node: event.counts for event in show_run(workspace, made.run.id).trace}
    assert {key: trace["infer_atoms"][key] for key in ("asked", "answered", "refused", "over_budget")} == {
        "asked": 1,
        "answered": 1,
        "refused": 0,
        "over_budget": 0,
    }


def test_a_model_takes_a_compound_sentence_apart(shop):
    shop.write(
        FILE, "def test_basket_is_emptied_and_total_is_reset():\n    assert basket == []\n    assert total == 0\n"
    )
    parts = [
        {"intent": "The basket is emptied.", "outcomes": ["The basket is []."]},
        {"intent": "The total is reset.", "outcomes": ["The total is 0."]},
    ]
    said = {"parts": parts, "quotes": ["assert basket == []"], "confidence": 85, "ambiguity": []}
    made = reconcile_asking(shop, Scripted({"split_intent": said}))
    created = [op for op in made.patch.ops if op.verb == "createAtom"]
    assert [op.payload["description"] for op in created] == ["The basket is emptied.", "The total is reset."]
    assert len({op.target for op in created}) == 2
    shop.decide(made.patch, "accept")
    assert list(shop.states().values()) == ["unratified"]


NEAR = "\n\ndef test_adds_two_big_numbers():\n    assert add(1, 2) == 3\n    assert add(1, 2) != 4\n"


@pytest.fixture
def near(linked):
    """The linked shop with a test whose words are close to those of an atom."""
    linked.write(FILE, linked.read(FILE) + NEAR)
    return linked


def test_a_test_that_nearly_says_what_an_atom_says_waits_for_a_judgement(near):
    made = near.reconcile()
    assert [(one.kind, one.subject) for one in made.patch.questions] == [
        ("realises", f"{FILE}::test_adds_two_big_numbers")
    ]
    assert made.patch.ops == ()


@pytest.mark.parametrize(
    ("verdict", "verbs"), [("yes", ["attachTestToAtom"]), ("no", ["createAtom", "attachTestToAtom"])]
)
def test_a_model_judges_whether_a_test_realises_an_atom(near, verdict, verbs):
    said = {"verdict": verdict, "quotes": ["assert add(1, 2) != 4"], "confidence": 80}
    made = reconcile_asking(near, Scripted({"realises": said}))
    assert [op.verb for op in made.patch.ops] == verbs
    assert made.patch.questions == ()


def test_a_model_that_cannot_tell_leaves_the_judgement_to_people(near):
    made = reconcile_asking(near, Scripted({"realises": {"verdict": "unsure", "quotes": [], "confidence": 80}}))
    assert [one.kind for one in made.patch.questions] == ["realises"]


LACKING = {
    "complete": False,
    "missing": [{"behaviour": "The total is 3.", "quotes": ["assert add(1, 2) == 3"]}],
    "confidence": 80,
}
NAMED = {"name": "Tills and tokens", "description": "What the shop adds up and lets in.", "confidence": 75}


def test_a_model_names_a_group_and_its_lack_is_told_once(shop):
    asker = Scripted({"name_molecule": NAMED, "molecule_complete": LACKING})
    made = reconcile_asking(shop, asker, molecules=True)
    (op,) = [op for op in made.patch.ops if op.verb == "createMolecule"]
    assert (op.payload["name"], op.confidence) == ("Tills and tokens", "0.75")
    assert op.payload["description"] == "What the shop adds up and lets in. Not declared yet: The total is 3."
    assert weakest(op.evidence) == "model"
    assert [prompt.kind for prompt in asker.prompts] == ["name_molecule", "molecule_complete"]
    with shop.open() as workspace:
        assert [one.name for one in list_recommendations(workspace, Wanted()).molecules] == ["Tills and tokens"]


def test_naming_never_holds_a_group_up_and_is_not_left_to_people(shop):
    made = reconcile_asking(shop, Scripted({}), molecules=True)
    assert [op.payload["name"] for op in made.patch.ops if op.verb == "createMolecule"] == ["Shop"]
    assert made.patch.questions == ()
