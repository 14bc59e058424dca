"""Slack as a channel, through its real library against a server that behaves like it."""

import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest
from slack_sdk import WebClient

from pactkeeper.errors import BoardUnavailable, InputError, SourceError
from pactkeeper.intent.thread_event import Post
from pactkeeper.tickets.channels.slack import SlackChannel, place_of, read_place, thread_of
from pactkeeper.tickets.running import receive
from tests.slack.fake import BOT_TOKEN, TEAM, FakeSlack
from tests.slack.limits import texts_of
from tests.tickets.worlds import COMPLETE, World

NOTE = Post("TH-1.1.ask", "TH-1", "note", "What should be different?")
PAST = Post("TH-1.1.ask.past", "TH-1", "stale", "It no longer counts.", instead="TH-1.1.ask")


@pytest.fixture
def fake():
    with FakeSlack() as found:
        yield found


@pytest.fixture
def waits():
    return []


@pytest.fixture
def channel(fake, waits):
    client = WebClient(BOT_TOKEN, base_url=fake.url, timeout=60, retry_handlers=[])
    return SlackChannel(client, sleep=waits.append)


@pytest.fixture
def thread(fake):
    first = fake.say("<@U0BOT> hi")["ts"]
    return thread_of(TEAM, "C0SHOP", first, "Ada (U0ADA)", "2026-03-01T12:00:00+00:00")


def said(fake, thread):
    return fake.said(read_place(thread.place)[1])


def shown(message):
    return " ".join(one["text"] for one in reversed(list(texts_of(message["blocks"]))))


def test_post_is_said_in_its_thread_and_nowhere_else(fake, channel, thread):
    ref = channel.post(thread, NOTE)
    (message,) = said(fake, thread)
    assert (message["ts"], shown(message), message["text"]) == (ref, NOTE.text, NOTE.text)


def test_post_asks_slack_to_look_for_no_names_and_no_addresses(fake, channel, thread):
    channel.post(thread, NOTE)
    (asked,) = fake.called("chat.postMessage")
    assert (asked["parse"], asked["link_names"], asked["unfurl_links"]) == ("none", False, False)


def test_same_key_is_said_once_by_whichever_process(fake, channel, thread):
    again = replace(channel, client=WebClient(BOT_TOKEN, base_url=fake.url, retry_handlers=[]))
    assert channel.post(thread, NOTE) == again.post(thread, NOTE)
    assert len(said(fake, thread)) == 1


def test_key_is_found_behind_many_messages(fake, channel, thread):
    fake.page = 2
    for number in range(5):
        fake.say(str(number), thread=read_place(thread.place)[1])
    ref = channel.post(thread, NOTE)
    assert channel.post(thread, NOTE) == ref


def test_post_whose_answer_was_lost_is_not_said_again(fake, channel, thread):
    fake.fault("chat.postMessage", "cut after")
    with pytest.raises(SourceError, match="looked up before posting again"):
        channel.post(thread, NOTE)
    ref = channel.post(thread, NOTE)
    assert [one["ts"] for one in said(fake, thread)] == [ref]


def test_post_that_was_not_done_is_said_later(fake, channel, thread):
    fake.fault("chat.postMessage", "cut")
    with pytest.raises(SourceError):
        channel.post(thread, NOTE)
    channel.post(thread, NOTE)
    assert len(said(fake, thread)) == 1


def test_nothing_is_said_where_it_cannot_be_known_what_was(fake, channel, thread):
    fake.fault("conversations.replies", "error", error="fatal_error")
    with pytest.raises(SourceError, match="fatal_error"):
        channel.post(thread, NOTE)
    assert said(fake, thread) == []


def test_replaced_post_keeps_its_place_and_its_key(fake, channel, thread):
    ref = channel.post(thread, NOTE)
    channel.replace(thread, ref, PAST)
    (message,) = said(fake, thread)
    assert (message["ts"], shown(message)) == (ref, PAST.text)
    assert channel.post(thread, NOTE) == ref


def test_post_that_somebody_deleted_needs_no_replacement(fake, channel, thread):
    ref = channel.post(thread, NOTE)
    fake.delete(ref)
    channel.replace(thread, ref, PAST)
    assert said(fake, thread) == []


def test_short_limit_is_waited_for(fake, channel, thread, waits):
    fake.fault("chat.postMessage", "limited", after=7)
    channel.post(thread, NOTE)
    assert (waits, len(said(fake, thread))) == ([7], 1)


def test_long_limit_is_left_to_a_later_run(fake, channel, thread, waits):
    fake.fault("chat.postMessage", "limited", after=60)
    with pytest.raises(SourceError, match="it can be tried again in 60 s"):
        channel.post(thread, NOTE)
    assert waits == []


def test_limits_are_not_waited_for_without_an_end(fake, channel, thread, waits):
    fake.fault("chat.postMessage", "limited", after=1, times=9)
    with pytest.raises(SourceError, match="ratelimited"):
        channel.post(thread, NOTE)
    assert waits == [1, 1]


@pytest.mark.parametrize(
    ("error", "advice"),
    [
        ("not_in_channel", "/invite"),
        ("is_archived", "open the channel again"),
        ("token_revoked", "SLACK_BOT_TOKEN"),
        ("some_new_error", "pk slack test"),
    ],
)
def test_refusal_says_what_slack_said_and_what_to_do(fake, channel, thread, error, advice):
    fake.fault("chat.postMessage", "error", error=error)
    with pytest.raises(BoardUnavailable, match=f"{error}.*{advice}"):
        channel.post(thread, NOTE)


def test_missing_scope_is_named(fake, channel, thread):
    fake.scopes.remove("chat:write")
    with pytest.raises(SourceError, match=r"missing_scope \(chat:write\)"):
        channel.post(thread, NOTE)


def test_thread_whose_first_message_is_gone_is_said_to_be(fake, channel, thread):
    fake.delete(read_place(thread.place)[1])
    with pytest.raises(SourceError, match="open a new thread"):
        channel.post(thread, NOTE)


@pytest.mark.parametrize("options", [{"kind": "junk"}, {"kind": "status", "status": 503}])
def test_answer_that_is_not_slacks_is_not_repeated_to_anybody(fake, channel, thread, options):
    fake.fault("chat.getPermalink", **options)
    with pytest.raises(SourceError, match="not Slack's") as raised:
        channel.permalink(thread, read_place(thread.place)[1])
    assert "html" not in str(raised.value)


def test_no_token_is_in_what_fails_or_is_shown(fake, channel, thread):
    fake.fault("*", "cut", times=2)
    with pytest.raises(SourceError) as raised:
        channel.post(thread, NOTE)
    assert BOT_TOKEN not in f"{raised.value!r} {raised.value.__cause__!r} {channel!r}"


def test_message_that_slack_finds_too_long_is_said_shorter_and_says_so(fake, channel, thread):
    fake.fault("chat.postMessage", "error", error="msg_blocks_too_long")
    channel.post(thread, replace(NOTE, text="\n".join(["a line of fifty characters, which is not all that much"] * 80)))
    (message,) = said(fake, thread)
    assert "don't fit" in shown(message)


def test_permalink_is_the_one_that_slack_gives(fake, channel, thread):
    first = read_place(thread.place)[1]
    reply = fake.say("more", thread=first)["ts"]
    address = f"https://acme.slack.example/archives/C0SHOP/p{reply.replace('.', '')}?thread_ts={first}&cid=C0SHOP"
    assert [channel.permalink(thread, one) for one in (reply, f"{reply}:1700000009.000100")] == [address, address]


def test_message_that_is_gone_has_no_permalink(fake, channel, thread):
    assert channel.permalink(thread, "1600000000.000100") == ""


def test_what_is_no_message_has_no_permalink(fake, channel, thread):
    assert channel.permalink(thread, "click-1") == ""
    assert fake.called("chat.getPermalink") == []


def test_library_of_slack_is_not_loaded_before_anything_is_said():
    look = "import sys, pactkeeper.tickets.channels.slack; sys.exit('slack_sdk' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", look], check=False, timeout=300).returncode == 0


def test_place_is_read_as_it_was_written():
    assert read_place(place_of("C0SHOP", "1700000000.000100")) == ("C0SHOP", "1700000000.000100")


@pytest.mark.parametrize("place", ["", "C0SHOP", "/tmp/x", "C0SHOP/1", "C0SHOP/1700000000.000100/x", "c/1.000100"])
def test_place_of_another_channel_is_none_of_slack(place):
    with pytest.raises(InputError, match="not a place in Slack"):
        read_place(place)


def test_threads_of_two_workspaces_are_two():
    one, other = (thread_of(team, "C0SHOP", "1700000000.000100", "Ada", "") for team in ("T1", "T2"))
    assert one.id != other.id
    assert replace(one, opened_by="Bob").id == one.id


class SlackWorld(World):
    """A thread with real history and board whose channel is Slack."""

    slack: Any = None
    at: Any = None

    @property
    def ground(self):
        return replace(super().ground, channels={"slack": self.slack})

    def put(self, event):
        return receive(self.ground, self.at, event)


def test_ticket_comes_of_a_thread_in_slack(fake, channel, thread, tmp_path):
    world = SlackWorld(tmp_path, thread=thread.id)
    world.slack, world.at = channel, thread
    try:
        shown_first = world.say("\n".join(COMPLETE), by="Ada (U0ADA)", id=read_place(thread.place)[1])[0].draft
        world.say("Title: Export invoices", by="Ada (U0ADA)")
        world.approve(by="Bob (U0BOB)", shown=shown_first)
        world.approve(by="Ada (U0ADA)")
    finally:
        world.close()
    old, _, stale, made = said(fake, thread)
    assert "It no longer counts" in shown(old)
    assert "Bob (U0BOB): that was version 1" in shown(stale)
    assert "pk_approve" not in str([old, stale])
    assert "The ticket exists now" in shown(made)


FOREIGN = [
    *("[]", "[{}]", "1", "null", '"ok"', "{}", '{"ok": true}', '{"ok": 1, "ts": 5, "messages": {}, "permalink": []}'),
    '{"ok": true, "ts": null, "messages": [1, {"ts": 1, "metadata": []}, {"metadata": {"event_payload": 1}}]}',
    '{"ok": true, "messages": [{"metadata": {"event_type": "pactkeeper_post", "event_payload": 3}}]}',
    '{"ok": true, "messages": [], "response_metadata": "next"}',
    *('{"ok": false}', '{"ok": false, "error": {"a": 1}}', '{"ok": false, "error": ["x"], "needed": {}}'),
]


@pytest.mark.parametrize("status", [200, 500])
@pytest.mark.parametrize("body", FOREIGN)
@pytest.mark.parametrize("method", ["chat.postMessage", "conversations.replies", "chat.update", "chat.getPermalink"])
def test_an_answer_of_another_making_is_at_most_a_reason_to_wait(fake, channel, thread, method, body, status):
    ref = channel.post(thread, NOTE)
    fake.fault(method, "foreign", body=body, status=status, times=9)
    found = [
        answer_of(channel.post, thread, replace(NOTE, key="TH-1.2.ask")),
        answer_of(channel.replace, thread, ref, PAST),
        answer_of(channel.permalink, thread, ref),
    ]
    assert all(one is None or isinstance(one, str) for one in found)


def answer_of(work, *given):
    try:
        return work(*given)
    except BoardUnavailable as error:
        return str(error)
