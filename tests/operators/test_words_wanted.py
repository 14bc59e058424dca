"""Tests that need words, a model's drafts for them, and the sentences that people give."""

import pytest

from pactkeeper.errors import UsageError
from pactkeeper.operators.accept import give_words
from pactkeeper.operators.check import check_repo
from pactkeeper.operators.view import StateView
from pactkeeper.operators.words import advise, doubts_about, draft_words, wanting_words
from pactkeeper.repo.memory import Memory
from pactkeeper.workspace import open_workspace
from tests.operators.atoms import commit
from tests.reconcile.asking import PLENTY, Scripted, words

FILE = "tests/test_vague.py"
ONE, TWO = f"{FILE}::test_one", f"{FILE}::test_two"


@pytest.fixture
def vague(shop):
    shop.write(FILE, "def test_one():\n    assert add(1, 2) == 3\n\n\ndef test_two():\n    assert add(0, 7) == 7\n")
    return shop


def test_only_what_carries_no_sentence_needs_words(vague):
    with vague.open() as workspace:
        wanted = wanting_words(workspace, [FILE], limit=1)

    assert [row.test for row in wanted.rows] == [ONE]
    assert (wanted.left, wanted.settled) == (1, 0)
    assert wanted.rows[0].place == f"{FILE}:1"
    assert wanted.rows[0].lines == ("def test_one():", "    assert add(1, 2) == 3")
    assert wanted.rows[0].checks == ("`assert add(1, 2) == 3`",)


# @atom IA-P5DVC6B
def test_the_finding_of_a_test_without_a_sentence_says_how_to_give_one(vague):
    told = FILE.replace("vague", "told")
    vague.write(
        told, 'def test_zero():\n    """A sum with zero is the other number itself."""\n    assert add(0, 7) == 7\n'
    )
    with vague.open() as workspace:
        fixes = {row.subject: row.fix for row in check_repo(workspace, StateView()).findings if row.code == "PK101"}

    assert fixes[ONE] == f"pk accept {ONE} --intent 'One sentence.'"
    assert fixes[f"{told}::test_zero"] == f"pk accept {told}::test_zero"


def test_sentences_become_atoms_in_one_write_and_the_rest_stays_open(vague):
    with vague.open() as workspace:
        applied = give_words(workspace, {TWO: "A sum with zero is the other number."})
        left = wanting_words(workspace, [FILE])

    assert applied.entry is not None
    assert [row.test for row in left.rows] == [ONE]
    world = vague.world()
    atom = world.pact.atoms[world.by_id[TWO].links[0].atom]
    assert (atom.intent, atom.source) == ("A sum with zero is the other number.", "person")
    assert atom.outcomes == ("`assert add(0, 7) == 7`",)


def test_a_server_words_again_what_changed_and_nothing_else(vague):
    memory = Memory(lasts=True)

    def wanted():
        with open_workspace(vague.root, notice=print, memory=memory) as workspace:
            return {row.test: row.checks for row in wanting_words(workspace, [FILE]).rows}

    assert wanted() == {ONE: ("`assert add(1, 2) == 3`",), TWO: ("`assert add(0, 7) == 7`",)}
    with vague.open() as workspace:
        give_words(workspace, {TWO: "A sum with zero is the other number."})
    assert wanted() == {ONE: ("`assert add(1, 2) == 3`",)}
    vague.write(FILE, "def test_one():\n    assert add(2, 2) == 4\n")
    assert wanted() == {ONE: ("`assert add(2, 2) == 4`",)}


def test_advice_speaks_of_the_sentence_and_of_poor_ones_alone(vague):
    poor, good = "It works correctly.", "A regular sum with zero is the other number."
    with vague.open() as workspace:
        advice = advise(workspace, give_words(workspace, {ONE: poor, TWO: good}).patch)

    assert list(advice) == [(ONE, poor)]
    assert {one.place for one in advice[ONE, poor]} == {"intent"}
    world = vague.world()
    assert world.pact.atoms[world.by_id[ONE].links[0].atom].intent == poor


def test_advice_asks_for_an_outcome_where_a_test_shows_none(vague):
    vague.write(FILE, "def test_one():\n    add(1, 2)\n")
    with vague.open() as workspace:
        patch = give_words(workspace, {ONE: "A sum of two numbers is accepted."}).patch
        ((_, (one,)),) = advise(workspace, patch).items()
    assert "no outcome says what can be observed" in one.why
    assert one.suggestion.startswith("add one to IA-")


def test_a_test_that_is_not_there_stops_the_write(vague):
    with vague.open() as workspace, pytest.raises(UsageError, match="no test of this repository"):
        give_words(workspace, {ONE: "A sum is kept.", f"{FILE}::test_gone": "It is gone."})
    assert vague.world().by_id[ONE].state == "orphan"


def test_a_draft_that_invents_something_is_refused(vague):
    def answer(prompt):
        if "add(1, 2)" in prompt.material:
            return words("Two numbers are added.", "The sum of 1 and 2 is 3.", "assert add(1, 2) == 3")
        return words("Sums are cached for 90 seconds.", "The sum of 0 and 7 is 7.", "assert add(0, 7) == 7")

    with vague.open() as workspace:
        wanted = wanting_words(workspace, [FILE])
        drafted = draft_words(workspace, wanted, asker=Scripted({"word_test": answer}), budget=PLENTY)

    assert [row.drafts for row in drafted.rows] == [("Two numbers are added.",), ()]
    assert len(drafted.refused) == 1
    assert drafted.refused[0].startswith(TWO)


def test_a_second_look_gives_the_same_and_a_changed_file_is_looked_at_anew(vague):
    with vague.open() as workspace:
        first = wanting_words(workspace, [FILE])
    with vague.open() as workspace:
        assert wanting_words(workspace, [FILE]) == first

    vague.write(FILE, "def test_one():\n    assert add(1, 2) == 4\n")
    with vague.open() as workspace:
        again = wanting_words(workspace, [FILE])
    assert [row.checks for row in again.rows] == [("`assert add(1, 2) == 4`",)]


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("The sum of 1 and 7 is kept.", "'7' is not in the source"),
        ('The sum is called "total".', '"total" is not in the source'),
        ("Sums are made by add_up().", "'add_up()' is not in the source"),
        ("Adding emits a warning.", "nothing in the source mentions 'warning'"),
    ],
)
def test_what_a_test_speaks_against_is_said_of_a_sentence(vague, sentence, reason):
    with vague.open() as workspace:
        doubts = doubts_about(workspace, {ONE: sentence, TWO: "A sum of 7 and nothing is 7."})

    assert list(doubts) == [ONE]
    assert doubts[ONE][0].startswith(reason) or reason in doubts[ONE][0]


SUM = "The sum of two numbers is returned."


def test_tests_that_are_given_the_same_sentence_share_an_atom(vague):
    with vague.open() as workspace:
        give_words(workspace, {ONE: SUM, TWO: SUM})
    world = vague.world()
    assert world.by_id[ONE].links[0].atom == world.by_id[TWO].links[0].atom


def test_sentence_of_a_draft_links_the_test_to_it(vague):
    for test in (ONE, TWO):
        with vague.open() as workspace:
            give_words(workspace, {test: SUM})
    world = vague.world()
    assert world.by_id[ONE].links[0].atom == world.by_id[TWO].links[0].atom


def test_sentence_of_a_committed_atom_is_refused_with_the_command_that_links_the_test(vague):
    with vague.open() as workspace:
        give_words(workspace, {ONE: SUM})
    atom = vague.world().by_id[ONE].links[0].atom
    commit(vague, atom)
    with vague.open() as workspace, pytest.raises(UsageError, match=f"pk accept {TWO} --atom {atom}"):
        give_words(workspace, {TWO: SUM})
