"""What Slack sends to an app: events, clicks and dialogues in their real forms, signed over HTTP or over a socket."""

import hashlib
import hmac
import itertools
import json
import time
from dataclasses import dataclass
from http.client import HTTPConnection
from urllib.parse import urlencode, urlsplit

from tests.slack.fake import APP, BOT, BOT_USER, SECRET, TEAM
from tests.slack.limits import elements_of
from tests.waiting import PATIENCE

_NUMBERS = itertools.count(1)


@dataclass(frozen=True)
class Answered:
    """What an app answered: status, body, and what the body says where it is JSON."""

    status: int
    body: str

    @property
    def data(self):
        return json.loads(self.body) if self.body.startswith("{") else {}


def send(url, payload, *, secret=SECRET, at=None, retry=0, signature=None):
    """Make a request as Slack signs it, now; `retry` counts from 1 where Slack got no answer in time."""
    is_form = payload["type"] in {"block_actions", "view_submission", "view_closed"}
    body = urlencode({"payload": json.dumps(payload)}) if is_form else json.dumps(payload)
    stamp = str(int(time.time()) if at is None else at)
    signed = hmac.new(secret.encode(), f"v0:{stamp}:{body}".encode(), hashlib.sha256).hexdigest()
    headers = {
        "Content-Type": "application/x-www-form-urlencoded" if is_form else "application/json",
        "User-Agent": "Slackbot 1.0 (+https://api.slack.com/robots)",
        "X-Slack-Request-Timestamp": stamp,
        "X-Slack-Signature": f"v0={signed}" if signature is None else signature,
    }
    if retry:
        headers |= {"X-Slack-Retry-Num": str(retry), "X-Slack-Retry-Reason": "http_timeout"}
    return post(url, body, headers)


def post(url, body, headers):
    """Make a request as it stands."""
    parts = urlsplit(url)
    connection = HTTPConnection(parts.hostname, parts.port, timeout=PATIENCE)
    try:
        connection.request("POST", parts.path or "/", body.encode(), headers)
        answer = connection.getresponse()
        return Answered(answer.status, answer.read().decode())
    finally:
        connection.close()


def url_verification(challenge="a-challenge"):
    """What Slack asks of an address before it sends anything there."""
    return {"token": "verification", "challenge": challenge, "type": "url_verification"}


def mentioned(message, *, channel="C0SHOP"):
    """A message that calls the bot by name."""
    said = _said(message, channel)
    return _event({**said, "type": "app_mention"})


def heard(message, *, channel="C0SHOP", channel_type="channel"):
    """A message in a channel, or a direct one with channel_type "im"."""
    return _event({**_said(message, channel), "channel_type": channel_type})


def changed(before, after, *, channel="C0SHOP"):
    """A message that its author changed."""
    event = {"type": "message", "subtype": "message_changed", "hidden": True, "channel": channel}
    ts = after["edited"]["ts"]
    told = {"message": after, "previous_message": before, "ts": ts, "event_ts": ts, "channel_type": "channel"}
    return _event({**event, **told})


def deleted(message, ts, *, channel="C0SHOP"):
    """A message that is gone since `ts`."""
    event = {"type": "message", "subtype": "message_deleted", "hidden": True, "channel": channel}
    told = {"previous_message": message, "deleted_ts": message["ts"], "ts": ts, "event_ts": ts}
    return _event({**event, **told, "channel_type": "channel"})


def picked(fake, ts, action, label, *, by="U0ADA", channel="C0SHOP"):
    """A pick of the option `label` from a menu of a message; `action` begins its action id."""
    payload = clicked(fake, ts, action, by=by, channel=channel)
    menus = (one for block in _clickable(fake, ts, channel)["blocks"] for one in elements_of(block))
    menu = next(one for one in menus if one.get("action_id", "").startswith(action))
    option = next(one for one in menu["options"] if one["text"]["text"] == label)
    return {**payload, "actions": [{**payload["actions"][0], "selected_option": option}]}


def clicked(fake, ts, action, *, by="U0ADA", channel="C0SHOP", team=TEAM, at=None):
    """A click on a button of a message, also of one that only `by` sees; `action` begins its action id."""
    message = _clickable(fake, ts, channel)
    button, block = next(
        (one, block)
        for block in message["blocks"]
        for one in elements_of(block)
        if one.get("action_id", "").startswith(action)
    )
    acted = {name: button[name] for name in ("action_id", "type", "text", "value", "style") if name in button}
    stamp = at or fake.next_ts()
    is_hidden = "to" in message
    container = {"type": "message", "message_ts": ts, "channel_id": channel, "is_ephemeral": is_hidden}
    payload = {
        "type": "block_actions",
        **_whose(fake, by, team),
        "container": {**container, "thread_ts": message["thread_ts"]} if message.get("thread_ts") else container,
        "channel": {"id": channel, "name": fake.room(channel)["name"]},
        "state": {"values": {}},
        "response_url": f"{fake.base}/response/{next(_NUMBERS)}",
        "actions": [{**acted, "block_id": block["block_id"], "action_ts": stamp}],
    }
    return payload if is_hidden else {**payload, "message": message}


def submitted(fake, view, *, by="U0ADA", team=TEAM, **values):
    """A dialogue that was sent off; `values` are what was typed, by action id."""
    typed = {
        block["block_id"]: {
            block["element"]["action_id"]: {
                "type": "plain_text_input",
                "value": values.get(block["element"]["action_id"]),
            }
        }
        for block in view["blocks"]
        if block["type"] == "input"
    }
    told = {**view, "app_id": APP, "bot_id": BOT, "hash": f"{next(_NUMBERS)}.hash", "state": {"values": typed}}
    return {"type": "view_submission", **_whose(fake, by, team), "view": told, "response_urls": []}


def _whose(fake, by, team):
    user = fake.users[by]
    return {
        "user": {"id": by, "username": user["name"], "name": user["name"], "team_id": team},
        "api_app_id": APP,
        "token": "verification",
        "team": {"id": team, "domain": "acme"},
        "enterprise": None,
        "is_enterprise_install": False,
        "trigger_id": fake.trigger(),
    }


def _clickable(fake, ts, channel):
    return next((one for one in fake.ephemerals if one["ts"] == ts), None) or fake.message(channel, ts)


def _said(message, channel):
    told = {name: value for name, value in message.items() if name not in {"reply_count", "metadata"}}
    return {**told, "channel": channel, "event_ts": message["ts"]}


def _event(event):
    return {
        "token": "verification",
        "team_id": TEAM,
        "api_app_id": APP,
        "event": event,
        "type": "event_callback",
        "event_id": f"Ev{next(_NUMBERS):08}",
        "event_time": int(float(event["event_ts"])),
        "authorizations": [
            {
                "enterprise_id": None,
                "team_id": TEAM,
                "user_id": BOT_USER,
                "is_bot": True,
                "is_enterprise_install": False,
            }
        ],
        "is_ext_shared_channel": False,
        "event_context": "4-event-context",
    }
