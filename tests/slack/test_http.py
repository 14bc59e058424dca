"""What comes over HTTP is Slack's, in time and of a bounded size, or it is refused and nothing of it is kept."""

import json
import socket
import time

import pytest

from pactkeeper.doors.slack.http import MOST
from tests.slack import sending
from tests.slack.fake import BOT_USER
from tests.waiting import PATIENCE

FORMED = {"X-Slack-Request-Timestamp": "1795289847", "X-Slack-Signature": f"v0={'0' * 64}"}
NOW = "the time of the request"
JSON = {**FORMED, "Content-Type": "application/json"}


@pytest.fixture
def mention(stage):
    return sending.mentioned(stage.fake.say(f"<@{BOT_USER}> hi"))


def nothing_kept(stage):
    return stage.home.threads() == [] and stage.fake.called("chat.postMessage") == []


def test_the_address_is_verified_as_slack_asks(stage):
    answer = sending.send(stage.url, sending.url_verification("abc"))
    assert (answer.status, answer.data) == (200, {"challenge": "abc"})


@pytest.mark.parametrize(
    "options", [{"secret": "another-secret"}, {"secret": ""}, {"signature": ""}, {"signature": "v0=0000"}]
)
def test_a_request_that_slack_did_not_sign_is_refused(stage, mention, options):
    assert sending.send(stage.url, mention, **options).status == 401
    assert nothing_kept(stage)


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"X-Slack-Request-Timestamp": "1795289847.19"},
        {"X-Slack-Request-Timestamp": "9" * 5000},
        {"X-Slack-Request-Timestamp": "-1"},
        {"X-Slack-Request-Timestamp": "now", "X-Slack-Signature": "v0=0000"},
        {"X-Slack-Request-Timestamp": NOW, "X-Slack-Signature": "v0=\xe9"},
    ],
)
def test_a_request_with_malformed_headers_is_refused_and_told_in_one_line(stage, mention, headers):
    given = {name: str(int(time.time())) if value is NOW else value for name, value in headers.items()}
    answer = sending.post(stage.url, json.dumps(mention), {"Content-Type": "application/json", **given})
    assert answer.status == 401
    assert nothing_kept(stage)
    (told,) = stage.told
    assert "SLACK_SIGNING_SECRET" in told
    assert "\n" not in told


@pytest.mark.parametrize("hours", [-1, 1])
def test_a_request_of_another_time_is_refused(stage, mention, hours):
    assert sending.send(stage.url, mention, at=int(time.time()) + hours * 3600).status == 401
    assert nothing_kept(stage)


def test_a_click_that_slack_did_not_sign_is_refused(stage, mention):
    stage.deliver(mention)
    stage.settle()
    (asked,) = stage.fake.said(mention["event"]["ts"])
    click = sending.clicked(stage.fake, asked["ts"], "pk_answer")
    assert sending.send(stage.url, click, secret="another-secret").status == 401
    assert stage.fake.views == {}


@pytest.mark.parametrize(
    ("path", "body", "headers", "status"),
    [
        ("/", "{}", {}, 404),
        ("/slack/events/more", "{}", {}, 404),
        ("/slack/events", "", {"Content-Length": "x"}, 411),
        ("/slack/events", "", {"Content-Length": str(MOST + 1)}, 413),
        ("/slack/events", "", {"Content-Length": "9" * 5000}, 411),
        ("/slack/events", "{", JSON, 400),
        ("/slack/events", "[" * 100_000, JSON, 400),
        ("/slack/events", "1", JSON, 400),
        ("/slack/events", "null", JSON, 400),
        ("/slack/events", '{"team": 3, "authorizations": 3}', JSON, 400),
        ("/slack/events", "payload=%7B", {**FORMED, "Content-Type": "application/x-www-form-urlencoded"}, 400),
    ],
)
def test_what_is_no_request_of_slack_is_refused_in_words(stage, path, body, headers, status):
    host = stage.url.removesuffix("/slack/events")
    answer = sending.post(f"{host}{path}", body, headers)
    assert answer.status == status
    assert "Traceback" not in answer.body
    assert nothing_kept(stage)


def test_bytes_that_are_no_text_are_refused(stage):
    host, port = stage.url.removeprefix("http://").partition("/")[0].split(":")
    with socket.create_connection((host, int(port)), timeout=PATIENCE) as connection:
        connection.sendall(b"POST /slack/events HTTP/1.1\r\nHost: here\r\nContent-Length: 2\r\n\r\n\xff\xfe")
        assert b" 400 " in connection.recv(200)


def test_nobody_else_on_the_network_is_listened_to(stage):
    assert stage.url.startswith("http://127.0.0.1:")
