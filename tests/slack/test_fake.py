"""The fake against the real library: what the channel and the door are tested on behaves like Slack."""

import threading
from http.client import RemoteDisconnected
from http.server import BaseHTTPRequestHandler
from urllib.error import URLError

import pytest
from slack_bolt import App, BoltRequest
from slack_bolt.adapter.socket_mode import SocketModeHandler
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

from tests.slack import sending
from tests.slack.fake import APP_TOKEN, BOT_TOKEN, BOT_USER, SECRET, TEAM, FakeSlack
from tests.slack.sockets import Sockets
from tests.waiting import served, until

KEY = {"event_type": "pactkeeper_post", "event_payload": {"key": "T1.1.ask"}}
BUTTON = {"type": "button", "action_id": "pk_approve", "text": {"type": "plain_text", "text": "Approve"}, "value": "v"}


@pytest.fixture
def client(fake):
    return WebClient(BOT_TOKEN, base_url=fake.url, retry_handlers=[])


def app_of(fake):
    """An app that answers once its work is done, so that a test may look at it then."""
    client = WebClient(BOT_TOKEN, base_url=fake.url)
    return App(signing_secret=SECRET, token=BOT_TOKEN, client=client, process_before_response=True)


def error_of(raised):
    return raised.value.response["error"]


def test_bot_is_told_who_it_is_and_what_it_may_do(client):
    found = client.auth_test()
    assert (found["team_id"], found["user_id"]) == (TEAM, BOT_USER)
    assert "chat:write" in found.headers["X-OAuth-Scopes"]


@pytest.mark.parametrize(
    ("token", "error"), [("xoxb-other", "invalid_auth"), ("", "not_authed"), (APP_TOKEN, "not_allowed_token_type")]
)
def test_wrong_token_is_refused(fake, token, error):
    with pytest.raises(SlackApiError) as raised:
        WebClient(token, base_url=fake.url).auth_test()
    assert error_of(raised) == error


def test_missing_scope_is_named(fake, client):
    fake.scopes.remove("chat:write")
    with pytest.raises(SlackApiError) as raised:
        client.chat_postMessage(channel="C0SHOP", text="hi")
    assert (error_of(raised), raised.value.response["needed"]) == ("missing_scope", "chat:write")


def test_replies_show_metadata_only_to_whoever_asks_for_it(fake, client):
    first = fake.say("hi")["ts"]
    client.chat_postMessage(channel="C0SHOP", thread_ts=first, text="hello", metadata=KEY)
    shown = client.conversations_replies(channel="C0SHOP", ts=first, include_all_metadata=True)["messages"]
    assert [one["text"] for one in shown] == ["hi", "hello"]
    assert shown[1]["metadata"] == KEY
    assert "metadata" not in client.conversations_replies(channel="C0SHOP", ts=first)["messages"][1]


def test_replies_come_page_by_page_and_in_order(fake, client):
    first = fake.say("0")["ts"]
    for number in range(1, 6):
        fake.say(str(number), thread=first)
    pages = [page["messages"] for page in client.conversations_replies(channel="C0SHOP", ts=first, limit=2)]
    assert [[one["text"] for one in page] for page in pages] == [["0", "1", "2"], ["3", "4"], ["5"]]
    assert sorted(float(one["ts"]) for page in pages for one in page) == [
        float(one["ts"]) for page in pages for one in page
    ]


def test_replies_since_a_message_begin_behind_it_unless_it_is_asked_for(fake, client):
    first = fake.say("0")["ts"]
    since, _ = (fake.say(str(number), thread=first)["ts"] for number in (1, 2))
    asked = {"channel": "C0SHOP", "ts": first, "oldest": since}
    for options, expected in (({}, ["0", "2"]), ({"inclusive": True}, ["0", "1", "2"])):
        assert [one["text"] for one in client.conversations_replies(**asked, **options)["messages"]] == expected


def test_own_message_is_updated_and_no_other(fake, client):
    first = fake.say("hi")["ts"]
    mine = client.chat_postMessage(channel="C0SHOP", thread_ts=first, text="old")["ts"]
    client.chat_update(channel="C0SHOP", ts=mine, text="new")
    assert fake.message("C0SHOP", mine)["text"] == "new"
    with pytest.raises(SlackApiError) as raised:
        client.chat_update(channel="C0SHOP", ts=first, text="new")
    assert error_of(raised) == "cant_update_message"


def test_permalink_of_a_reply_names_its_thread(fake, client):
    first = fake.say("hi")["ts"]
    reply = fake.say("more", thread=first)["ts"]
    found = client.chat_getPermalink(channel="C0SHOP", message_ts=reply)["permalink"]
    assert found == f"https://acme.slack.example/archives/C0SHOP/p{reply.replace('.', '')}?thread_ts={first}&cid=C0SHOP"


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda client: client.chat_postMessage(channel="C9", text="hi"), "channel_not_found"),
        (lambda client: client.chat_getPermalink(channel="C0SHOP", message_ts="1.1"), "message_not_found"),
        (lambda client: client.conversations_replies(channel="C0SHOP", ts="1.1"), "thread_not_found"),
        (lambda client: client.users_info(user="U9"), "user_not_found"),
        (lambda client: client.chat_postMessage(channel="C0SHOP", text="x", blocks=[{"type": "x"}]), "invalid_blocks"),
        (lambda client: client.views_open(trigger_id="1", view={"blocks": []}), "invalid_trigger_id"),
        (lambda client: client.team_info(), "unknown_method"),
    ],
)
def test_what_cannot_be_has_the_error_of_slack(client, call, error):
    with pytest.raises(SlackApiError) as raised:
        call(client)
    assert error_of(raised) == error


def test_rate_limit_says_how_long_to_wait(fake, client):
    fake.fault("chat.postMessage", "limited", after=7)
    with pytest.raises(SlackApiError) as raised:
        client.chat_postMessage(channel="C0SHOP", text="hi")
    assert (raised.value.response.status_code, raised.value.response.headers["Retry-After"]) == (429, "7")
    assert client.chat_postMessage(channel="C0SHOP", text="hi")["ok"]


@pytest.mark.parametrize(("kind", "said"), [("cut", 0), ("cut after", 1)])
def test_cut_answer_comes_before_or_after_the_work(fake, client, kind, said):
    first = fake.say("hi")["ts"]
    fake.fault("chat.postMessage", kind)
    with pytest.raises((URLError, RemoteDisconnected)):
        client.chat_postMessage(channel="C0SHOP", thread_ts=first, text="hello")
    assert len(fake.said(first)) == said


def test_slow_answer_runs_into_the_time_limit(fake):
    fake.fault("auth.test", "slow", seconds=30)
    with pytest.raises(TimeoutError):
        WebClient(BOT_TOKEN, base_url=fake.url, timeout=1, retry_handlers=[]).auth_test()


def test_trigger_opens_one_dialogue(fake, client):
    trigger = fake.trigger()
    view = {"type": "modal", "title": {"type": "plain_text", "text": "Changes"}, "blocks": []}
    assert client.views_open(trigger_id=trigger, view=view)["view"]["id"] in fake.views
    with pytest.raises(SlackApiError) as raised:
        client.views_open(trigger_id=trigger, view=view)
    assert error_of(raised) == "exchanged_trigger_id"


def test_signature_is_the_one_that_the_library_checks(fake):
    asked = []
    app = app_of(fake)
    app.event("app_mention")(lambda event: asked.append(event["text"]))
    message = fake.say(f"<@{BOT_USER}> hi")
    with receiver_of(app) as base:
        url = f"{base}/slack/events"
        assert sending.send(url, sending.url_verification("xyz")).data == {"challenge": "xyz"}
        assert sending.send(url, sending.mentioned(message)).status == 200
        assert sending.send(url, sending.mentioned(message), secret="other").status == 401
        assert sending.send(url, sending.mentioned(message), at=1).status == 401
    assert asked == [message["text"]]


def test_click_carries_the_value_of_the_button_and_where_it_stands(fake, client):
    first = fake.say("hi")["ts"]
    blocks = [{"type": "actions", "elements": [BUTTON]}]
    mine = client.chat_postMessage(channel="C0SHOP", thread_ts=first, text="x", blocks=blocks)["ts"]
    payload = sending.clicked(fake, mine, "pk_approve", by="U0BOB")
    assert payload["actions"][0]["value"] == "v"
    assert (payload["container"]["thread_ts"], payload["user"]["id"]) == (first, "U0BOB")


def test_submission_carries_what_was_typed(fake, client):
    block = {"type": "input", "block_id": "b", "label": {"type": "plain_text", "text": "What?"}}
    view = {"type": "modal", "blocks": [{**block, "element": {"type": "plain_text_input", "action_id": "words"}}]}
    opened = client.views_open(trigger_id=fake.trigger(), view=view)["view"]
    payload = sending.submitted(fake, opened, words="a better title")
    assert payload["view"]["state"]["values"]["b"]["words"]["value"] == "a better title"


def test_socket_gives_events_takes_acknowledgements_and_is_opened_again(fake):
    sockets, heard = Sockets(fake), []
    app = app_of(fake)
    app.event("message")(lambda event: heard.append(event["text"]))
    handler = SocketModeHandler(app, APP_TOKEN, ping_interval=1)
    try:
        handler.connect()
        sockets.wait_open(1)
        assert sockets.deliver(sending.heard(fake.say("one"))) is None
        sockets.refresh()
        sockets.wait_open(2)
        assert sockets.deliver(sending.heard(fake.say("two"))) is None
    finally:
        handler.close()
    assert heard == ["one", "two"]


def test_nothing_is_left_of_a_fake_that_was_closed():
    before = set(threading.enumerate())
    with FakeSlack() as fake:
        Sockets(fake)
    until(lambda: before.issuperset(threading.enumerate()), "the end of its threads")


def receiver_of(app):
    """The HTTP server of the library, which tests need on loopback and with a port of its own."""

    class Door(BaseHTTPRequestHandler):
        def log_message(self, *args):
            pass

        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            answer = app.dispatch(BoltRequest(body=body, headers=dict(self.headers.items())))
            self.send_response(answer.status)
            self.end_headers()
            self.wfile.write(answer.body.encode())

    return served(Door)
