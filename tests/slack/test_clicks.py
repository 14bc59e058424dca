"""Clicks and forms as Slack tells of them."""

import pytest

from pactkeeper.doors.slack.clicking import FIELD, click_of, form, form_of
from pactkeeper.doors.slack.events import Spot
from pactkeeper.errors import InputError
from tests.slack.limits import wrong_with

CLICK = {
    "team": {"id": "T0ACME"},
    "user": {"id": "U0ADA"},
    "channel": {"id": "C0SHOP"},
    "container": {"message_ts": "1700000002.000200", "channel_id": "C0SHOP", "thread_ts": "1700000001.000100"},
    "actions": [{"action_id": "pk_approve", "value": "v", "action_ts": "1700000003.000300"}],
    "trigger_id": "1.trigger",
}
FORM = {
    "team": {"id": "T0ACME"},
    "user": {"id": "U0ADA"},
    "view": {"id": "V1", "private_metadata": "about", "state": {"values": {FIELD: {FIELD: {"value": " more "}}}}},
}


def test_a_click_says_who_where_when_and_what():
    found = click_of(CLICK)
    assert found.spot == Spot("C0SHOP", "1700000001.000100", "1700000002.000200")
    assert (found.team, found.user, found.value, found.at) == ("T0ACME", "U0ADA", "v", "1700000003.000300")


def test_a_click_on_what_only_one_person_sees_has_no_message_and_is_read_all_the_same():
    assert "message" not in CLICK
    assert click_of({**CLICK, "message": None}).spot.root == "1700000001.000100"


@pytest.mark.parametrize("part", ["team", "user", "container", "actions"])
def test_a_click_without_one_of_its_parts_is_refused_by_name(part):
    without = {name: value for name, value in CLICK.items() if name not in {part, "channel"}}
    with pytest.raises(InputError, match="a click without its"):
        click_of(without)


def test_a_form_says_who_and_what():
    found = form_of(FORM)
    assert (found.id, found.user, found.about, found.words) == ("V1", "U0ADA", "about", "more")


def test_a_form_without_words_or_input_has_none():
    assert form_of({**FORM, "view": {"id": "V1"}}).words == ""


def test_a_form_that_nobody_sent_is_refused():
    with pytest.raises(InputError, match="form, team, user"):
        form_of({})


def test_a_form_keeps_the_limits_of_slack():
    made = form("Request changes", "What should be different?", "a" * 2_900)
    assert wrong_with(made["blocks"], most=100) == []
    assert len(made["title"]["text"]) <= 24
    assert len(made["private_metadata"]) <= 3_000
