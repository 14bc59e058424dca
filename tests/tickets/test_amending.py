"""An edit says what its message says from then on, and nothing of anybody else's is touched."""

import pytest

from pactkeeper.intent.ticket import values_of
from tests.tickets.worlds import COMPLETE


def values(world, field):
    return [one.value for one in values_of(world.draft, field)]


@pytest.fixture
def edit(world):
    """Say something under an id, then again as later forms of that message."""
    world.complete()

    def said(*texts, by="Ada"):
        world.say(texts[0], id="m1", by=by)
        for number, text in enumerate(texts[1:]):
            told = world.say(text, id=f"m1:{number}", edits="m1", by=by)
        return told

    return said


def test_a_single_value_is_put_right_without_a_question(world, edit):
    (preview,) = edit("Solution: A nightly jobb writes it.", "Solution: A nightly job writes it.")
    assert (preview.kind, values(world, "proposed_solution")) == ("preview", ["A nightly job writes it."])


def test_even_letters_alone_are_put_right(world, edit):
    edit("Solution: a NIGHTLY job writes it.", "Solution: A nightly job writes it.")
    assert values(world, "proposed_solution") == ["A nightly job writes it."]


def test_what_an_edit_leaves_out_goes_and_what_it_adds_comes(world, edit):
    edit("Risk: the file may be large\nRetention = at most 30 days", "Risk: the disk may be full")
    assert (values(world, "risks"), world.draft.constraints) == (["the disk may be full"], ())


def test_an_edit_of_an_edit_counts_from_what_was_said_last(world, edit):
    edit("Risk: one\nDepends on: SHOP-1", "Risk: two\nDepends on: SHOP-1", "Risk: three")
    assert (values(world, "risks"), values(world, "dependencies")) == (["three"], [])


def test_the_same_words_again_change_nothing(world, edit):
    edit("Risk: the file may be large", "Risk: the file may be large")
    assert world.draft.version == 4
    assert [one.message for one in world.draft.risks] == ["m1"]


def test_what_others_said_stays(world, edit):
    edit("AC: An import of 10 orders has 10 rows.", "AC: An import of 20 orders has 20 rows.", by="Bob")
    assert values(world, "acceptance_criteria") == [COMPLETE[2][4:], "An import of 20 orders has 20 rows."]


def test_a_contradiction_ends_with_the_words_that_made_it(world, edit):
    world.say("Retention = at most 30 days")
    (preview,) = edit("Retention = at least 90 days", "Retention = at most 30 days", by="Bob")
    assert (preview.kind, values(world, "constraints")) == ("preview", ["at most 30 days"])
