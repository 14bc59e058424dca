"""What Slack's library says of errors is told without secrets, and not again and again."""

import logging

import pytest

from pactkeeper.doors.slack.serving import logger


@pytest.fixture
def told():
    lines: list[str] = []
    return lines, logger(lines.append)


@pytest.mark.parametrize(
    "secret", ["xoxb-123-abc_DEF", "xapp-1-A0-9-abc", "wss://w.slack.com/link/?ticket=abc-123&app_id=1"]
)
def test_no_secret_is_told(told, secret):
    lines, log = told
    log.error("it failed with %s in it", secret)
    assert len(lines) == 1
    assert not any(one in lines[0] for one in ("123", "abc"))


def test_only_errors_are_told(told):
    lines, log = told
    log.warning("the body was: secret words of somebody")
    assert lines == []


def test_what_is_said_again_and_again_is_told_once_a_minute_with_a_count(told):
    lines, log = told
    for second in (0, 10, 20, 70):
        text = f"no connection (session id: {second}-abc, error: refused)"
        log.handle(logging.makeLogRecord({"msg": text, "levelno": logging.ERROR, "created": 1_000.0 + second}))
    assert lines == [
        "Slack's library: no connection (error: refused)",
        "Slack's library: no connection (error: refused) (3 times before)",
    ]
