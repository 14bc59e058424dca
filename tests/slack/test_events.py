"""What of Slack's events is somebody's words, and what names them for good."""

import pytest

from pactkeeper.doors.slack.events import Here, at_of, sequence_of, told, ts_of
from pactkeeper.errors import InputError

HERE = Here("T0ACME", "U0BOT")
MESSAGE = {
    "type": "message",
    "channel": "C0SHOP",
    "channel_type": "channel",
    "user": "U0ADA",
    "ts": "1700000001.000100",
}


def read(**fields):
    return told({**MESSAGE, "event_ts": "1700000001.000100", "text": "hi", **fields}, HERE)


def edit(**fields):
    message = {**MESSAGE, "text": "new", "edited": {"user": "U0ADA", "ts": "1700000009.000000"}, **fields}
    before = {**MESSAGE, "text": "old"}
    event = {"type": "message", "subtype": "message_changed", "channel": "C0SHOP", "event_ts": "1700000009.000300"}
    return told({**event, "message": message, "previous_message": before}, HERE)


def test_a_message_opens_its_own_thread_or_is_part_of_one():
    assert read().spot.root == "1700000001.000100"
    assert read(thread_ts="1700000000.000500").spot.root == "1700000000.000500"


def test_one_message_told_as_mention_and_as_message_has_one_id():
    mention, message = read(type="app_mention", text="<@U0BOT> hi"), read(text="<@U0BOT> hi")
    assert (mention.id, mention.kind) == (message.id, message.kind) == ("1700000001.000100", "mention")


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({}, "message"),
        ({"text": "ask <@U0BOT|pactkeeper> too"}, "mention"),
        ({"text": "ask <@U0BOTTOM> too"}, "message"),
        ({"channel": "D0ADA", "channel_type": "im"}, "mention"),
        ({"channel_type": "mpim"}, "message"),
    ],
)
def test_a_call_by_name_or_in_private_is_a_mention(fields, kind):
    assert read(**fields).kind == kind


@pytest.mark.parametrize(
    "fields",
    [
        {"bot_id": "B0OTHER"},
        {"user": "U0BOT"},
        {"user": "USLACKBOT"},
        {"user": None},
        {"subtype": "bot_message"},
        {"subtype": "channel_join"},
        {"subtype": "message_deleted"},
        {"subtype": "message_replied"},
    ],
)
def test_what_no_person_wrote_is_nothing(fields):
    assert read(**fields) is None


@pytest.mark.parametrize("subtype", ["thread_broadcast", "file_share", "me_message"])
def test_what_a_person_wrote_in_another_form_is_heard(subtype):
    assert read(subtype=subtype).text == "hi"


def test_an_edit_is_an_event_of_its_own_that_names_its_message():
    found = edit()
    assert (found.id, found.spot.ts, found.text) == ("1700000001.000100:1700000009.000000", "1700000001.000100", "new")
    assert found.sequence == sequence_of("1700000009.000300")


def test_a_preview_of_a_link_is_no_edit():
    assert edit(edited=None) is None
    assert edit(text="old") is None


def test_an_edit_by_somebody_else_than_the_author_says_nothing():
    assert edit(edited={"user": "U0BOB", "ts": "1700000009.000000"}) is None


def test_what_programs_edit_is_nothing():
    assert edit(bot_id="B0BOT", user="U0BOT") is None


@pytest.mark.parametrize("ts", ["", "now", "1700000000", "1700000000.1", "1700000000.000100x", "-1.000000"])
def test_a_timestamp_that_is_none_is_refused_by_name(ts):
    with pytest.raises(InputError, match="not a Slack timestamp"):
        sequence_of(ts)


def test_the_time_of_a_message_is_exactly_slacks():
    assert at_of(sequence_of("1700000001.000100")) == "2023-11-14T22:13:21.000100+00:00"
    assert ts_of(at_of(sequence_of("1700000001.000100"))) == "1700000001.000100"
