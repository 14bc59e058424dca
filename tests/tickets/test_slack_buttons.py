"""What a button carries, and what is said to whoever clicks on something else."""

import json
from dataclasses import asdict, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pactkeeper.errors import InputError
from pactkeeper.intent.ticket import CHOICES, Draft
from pactkeeper.tickets.channels.slack_blocks import ACTIONS, LONGEST, Button, action_id, decode, encode

APPROVE = Button("TH-1", "approve", 3, Draft("TH-1").hash, post="TH-1.2.preview")
CHOICE = Button("TH-1", "choice", ask="ask-1", choice="keep_a", post="TH-1.2.ask")
BUTTONS = (
    APPROVE,
    replace(APPROVE, action="changes"),
    Button("TH-1", "answer", ask="ask-1", post="TH-1.2.ask"),
    *(replace(CHOICE, choice=choice) for choice in CHOICES),
    Button("TH-1", "place", choice="2,3=problem"),
)


@pytest.mark.parametrize("button", BUTTONS, ids=lambda one: f"{one.action} {one.choice}")
def test_button_is_read_as_it_was_written(button):
    assert decode(encode(button)) == button


@given(st.builds(Button, st.text(min_size=1), st.just("approve"), st.integers(1), st.text(min_size=1), post=st.text()))
def test_every_value_that_fits_is_read_as_it_was_written(button):
    try:
        value = encode(button)
    except ValueError:
        return
    assert len(value) <= LONGEST
    assert decode(value) == button


def test_every_action_has_a_button_that_can_be_read():
    assert {one.action for one in BUTTONS} == set(ACTIONS)


def test_value_that_slack_would_cut_is_not_written():
    with pytest.raises(ValueError, match="2000"):
        encode(replace(APPROVE, post="x" * LONGEST))


def test_actions_of_which_there_are_several_bear_a_number():
    assert [action_id(one, 2) for one in BUTTONS[:4]] == ["pk_approve", "pk_changes", "pk_answer:2", "pk_choice:2"]


@given(st.text() | st.recursive(st.none() | st.integers() | st.text(), st.lists).map(json.dumps))
def test_foreign_value_is_an_error_in_words(value):
    with pytest.raises(InputError, match="write what you want in the thread"):
        decode(value)


@pytest.mark.parametrize("cut", [1, 10, 40])
def test_torn_value_is_an_error_in_words(cut):
    with pytest.raises(InputError, match="from another version"):
        decode(encode(APPROVE)[:-cut])


@pytest.mark.parametrize("value", ["[" * 100_000, '{"pk":"1","thread":' + "9" * 1_900 + "}", '{"pk":"1"}', "", "null"])
def test_value_that_is_made_to_break_readers_is_an_error_in_words(value):
    with pytest.raises(InputError, match="from another version"):
        decode(value)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"thread": ""}, "names no thread"),
        ({"thread": 7}, "wrong type"),
        ({"action": "delete"}, "its action is unknown"),
        ({"version": 0}, "names no version"),
        ({"version": True}, "wrong type"),
        ({"version": "3"}, "wrong type"),
        ({"hash": ""}, "names no version"),
        ({"action": "answer"}, "names no question"),
        ({"action": "choice", "ask": "ask-1", "choice": "drop"}, "belongs to no conflict"),
        ({"choice": "keep_a"}, "belongs to no conflict"),
        ({"more": 1}, "from another version"),
        ({"pk": "2"}, "from another version"),
        ({"pk": 1}, "from another version"),
    ],
)
def test_button_that_lacks_what_it_needs_is_an_error_that_says_so(changes, said):
    value = json.dumps({"pk": "1", **asdict(APPROVE), **changes})
    with pytest.raises(InputError, match=said):
        decode(value)
