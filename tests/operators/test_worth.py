"""Poor words are marked, asked about once more, and never accepted unread."""

import pytest

from pactkeeper.doors.cli.main import cli
from pactkeeper.intent.records import Wanted
from pactkeeper.ledger.answering import Budget, BudgetLimits
from pactkeeper.operators.decide import load_pending
from pactkeeper.operators.driving import raise_questions
from pactkeeper.operators.invariants import test_invariants
from pactkeeper.operators.recommendations import Word, decide_recommendations, list_recommendations
from pactkeeper.operators.runs import show_run
from pactkeeper.operators.view import StateView
from tests.operators.asked import reconcile_asking
from tests.operators.atoms import commit, run
from tests.operators.conftest import ADDS, FILE, REFUSED
from tests.reconcile.asking import Scripted, words

QUICK = f"{FILE}::test_page_loads_quickly"
SOURCE = '''

def test_page_loads_quickly():
    """Loaded pages should usually be found."""
    assert load(3).status_code == 200
'''
PACT = "[pact]\nformat = 1\n"
SETTINGS = f"{PACT}\n[quality]\nthreshold = 99\n"
BETTER = words("A page that is loaded is found.", "The status code is 200.", "assert load(3).status_code == 200")


@pytest.fixture
def vague(shop):
    shop.write(FILE, shop.read(FILE) + SOURCE)
    shop.write("pact/pact.toml", SETTINGS)
    return shop


def scores(shop):
    with shop.open() as workspace:
        found = list_recommendations(workspace, Wanted()).atoms
    return {one.source_test_id: one.quality_score for one in found}


def nodes(shop):
    with shop.open() as workspace:
        return [event.node for event in show_run(workspace, None).trace]


def test_every_recommendation_keeps_the_score_of_its_words(vague):
    vague.reconcile()
    found = scores(vague)
    assert found[QUICK] < 99 <= min(found[ADDS], found[REFUSED])


def test_accepting_all_leaves_poor_words_to_a_person(vague):
    vague.reconcile()
    cli.main(["-C", str(vague.root), "apply", "--all"], standalone_mode=False)
    assert vague.states() == {ADDS: "unratified", REFUSED: "unratified", QUICK: "orphan"}
    cli.main(["-C", str(vague.root), "apply", "--accept", QUICK], standalone_mode=False)
    assert vague.states()[QUICK] == "unratified"


def test_what_scores_well_and_would_be_refused_is_poor_too_and_says_why(shop, capsys):
    shop.write(FILE, shop.read(FILE) + SOURCE.replace("Loaded pages should usually", "A page == load(page) can always"))
    cli.main(["-C", str(shop.root), "reconcile", "--all"], standalone_mode=False)
    said = capsys.readouterr().out
    assert "a commitment would refuse it: 'page == load(page)': is source code" in said
    assert ("assert load(3).status_code == 200" in said, "can always be found" in said) == (True, False)
    assert "leaves out 1 test whose words a commitment would refuse" in said


def test_rejecting_all_takes_poor_words_along(vague):
    vague.reconcile()
    with vague.open() as workspace:
        assert load_pending(workspace, None).left_out == 1
        decide_recommendations(workspace, (), Word("accept"))
        decide_recommendations(workspace, (), Word("reject", "later"))
        assert load_pending(workspace, None, to_apply=True).open == ()


def test_a_model_is_asked_for_better_words_and_then_the_run_goes_on(vague):
    asker = Scripted({"word_test": BETTER})
    made = reconcile_asking(vague, asker)
    assert nodes(vague).count("infer_atoms") == 2
    (prompt,) = [one for one in asker.prompts if one.kind == "word_test"]
    assert "objections" in prompt.material
    (create,) = [op for op in made.patch.ops if op.group == QUICK and op.verb == "createAtom"]
    assert create.payload["description"] == "A page that is loaded is found."
    assert made.patch.summary["below_quality"] == 0


def test_a_round_that_changed_nothing_is_the_last(vague):
    made = reconcile_asking(vague, Scripted({}))
    assert nodes(vague).count("infer_atoms") == 2
    assert made.patch.summary["below_quality"] == 1
    assert made.run.status == "paused"


def test_poor_words_are_not_asked_about_beyond_the_budget(vague):
    reconcile_asking(vague, Scripted({"word_test": BETTER}), budget=Budget(BudgetLimits(model_calls=0)))
    assert nodes(vague).count("infer_atoms") == 2


def test_an_open_question_about_a_committed_atom_is_a_doubt(vague):
    vague.decide(vague.reconcile().patch, "accept")
    run(vague, raise_questions, "better_words")
    poor = next(name for name, one in vague.world().pact.atoms.items() if one.origin == QUICK)
    commit(vague, poor)
    (checked,) = run(vague, test_invariants, StateView(), ("INV-009",)).checked
    (finding,) = checked.findings
    assert (finding.subject, "unanswered question" in finding.message) == (poor, True)


def test_without_a_history_questions_about_atoms_are_said_to_be_unknown(untouched):
    untouched.write("pact/pact.toml", PACT)
    (checked,) = run(untouched, test_invariants, StateView(), ("INV-009",)).checked
    assert "not checked" in checked.reason


def test_the_run_counts_orphans_groups_and_what_it_created(vague):
    made = vague.reconcile()
    assert (made.run.summary["orphans"], made.run.summary["molecules"]) == (3, 1)
    vague.decide(made.patch, {QUICK: "accept"})
    with vague.open() as workspace:
        assert show_run(workspace, made.run.id).listed.run.summary["created"] == 1


def test_a_run_that_may_apply_by_itself_says_why_it_did_not(vague, capsys):
    cli.main(["-C", str(vague.root), "reconcile", "--all", "--auto-apply"], standalone_mode=False)
    assert "nothing was applied: the policy requires a person" in capsys.readouterr().out
