"""Clicks and forms: stored as events of the thread if the person is allowed to, otherwise refused with the reason.

Slack's payloads for clicks and forms are parsed here too.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from slack_sdk.errors import SlackClientError

from pactkeeper.doors.slack.door import Door, put, thread_named
from pactkeeper.doors.slack.events import Spot, at_of, reason_of, sequence_of
from pactkeeper.errors import InputError
from pactkeeper.intent.thread_event import EventKind, ThreadEvent
from pactkeeper.operators.slack import authors_in, is_bound, is_under_way, question_in
from pactkeeper.tickets.channels.slack import answered, thread_of
from pactkeeper.tickets.channels.slack_blocks import Button, decode
from pactkeeper.tickets.channels.slack_rich import visible


def clicked(door: Door, payload: Mapping[str, Any]) -> None:
    """Handle a click on a button; raises InputError if the payload is not a click."""
    click = click_of(payload)
    try:
        button = _button(door, click.team, click.spot, click.value)
        _ensure_may(door, click.user, button)
    except InputError as refusal:
        door.whisper(click.spot, click.user, str(refusal))
        return
    if door.clicks.again((button.thread, click.user, click.value), sequence_of(click.at)):
        return  # a double click
    if button.action in {"changes", "answer"} or button.choice == "amend":
        _open_form(door, click, button)
    else:
        _put(door, click.spot, click.user, _event(door, click, button))


def _event(door: Door, click: Click, button: Button) -> ThreadEvent:
    """An approval of the version the button belongs to, a choice, or the place for some words."""
    at, approves = sequence_of(click.at), button.action == "approve"
    kind: EventKind = "approve" if approves else "place" if button.action == "place" else "answer"
    return ThreadEvent(
        f"{click.spot.ts}:{click.at}:{click.user}",
        button.thread,
        kind,
        _author(door, button.thread, click.user),
        at_of(at),
        button.choice,
        sequence=at,
        shown=button.hash if approves else "",
        version=button.version if approves else 0,
        ask=button.ask,
    )


def submitted(door: Door, payload: Mapping[str, Any]) -> str:
    """Handle a submitted form; returns an error to show in the form, empty if there is none."""
    sent = form_of(payload)
    words = visible(sent.words).strip()
    if not words:
        return "Type an answer, or close this form."
    try:
        spot, value = _about(sent)
        button = _button(door, sent.team, spot, value)
    except InputError as refusal:
        return str(refusal)
    kind: EventKind = "changes" if button.action == "changes" else "answer"
    author = _author(door, button.thread, sent.user)
    at = door.desk.personal.now().isoformat(timespec="milliseconds")  # Slack does not say when a form was submitted
    event = ThreadEvent(f"{spot.ts}:{sent.id}", button.thread, kind, author, at, words, ask=button.ask)
    _put(door, spot, sent.user, event)
    return ""


def _button(door: Door, team: str, spot: Spot, value: str) -> Button:
    """The data of a button; raises InputError, worded for the person, unless it belongs to this very thread."""
    button = decode(value)
    if team != door.here.team:
        raise InputError("I belong to another workspace; somebody there has to do it")
    if not door.listens(spot.channel):
        raise InputError("I no longer listen in this channel; whoever runs me can add it to slack.toml")
    if button.thread != thread_named(door, spot):
        raise InputError("this button belongs to another thread, so nothing was done; use the ones I posted here")
    if not is_bound(door.desk, button.thread):
        raise InputError("I no longer know this thread; mention me here to start over")
    return button


def _ensure_may(door: Door, user: str, button: Button) -> None:
    approvers = door.settings.approvers
    if button.action == "approve" and approvers and user not in approvers:
        named = ", ".join(f"<@{one}>" for one in sorted(approvers))
        raise InputError(f"only {named} may approve, so nothing was done; anybody may ask for changes")


def _open_form(door: Door, click: Click, button: Button) -> None:
    """Open a form to ask for text, within Slack's three seconds."""
    about = json.dumps([click.spot.channel, click.spot.root, click.spot.ts, click.value], separators=(",", ":"))
    title, usual = _FORMS[button.action]
    label = visible(question_in(door.desk, button.thread, button.ask)) or usual
    try:
        answered(lambda: door.client.views_open(trigger_id=click.trigger, view=form(title, label, about)))
    except (SlackClientError, OSError) as error:
        door.tell(f"no form could be opened in {button.thread}: {reason_of(error)}")
        text = "The form could not be opened; write it here in the thread, mentioning me, or click again."
        door.whisper(click.spot, click.user, text)


_FORMS: Mapping[str, tuple[str, str]] = {
    "changes": ("Request changes", "What should be different?"),
    "answer": ("Answer", "Your answer"),
    "choice": ("Reword it", "What holds instead of both?"),
}


def _about(sent: SlackForm) -> tuple[Spot, str]:
    """The location of the button that opened a form, and its value."""
    try:
        channel, root, ts, value = json.loads(sent.about)
    except (ValueError, TypeError) as error:
        raise InputError("this form is out of date; click again in the thread") from error
    return Spot(str(channel), str(root), str(ts)), str(value)


def _author(door: Door, thread: str, user: str) -> str:
    return door.people.author(user, authors_in(door.desk, thread))


def _put(door: Door, spot: Spot, user: str, event: ThreadEvent) -> None:
    """Store a click; tell the person if it came too late to count."""
    thread = thread_of(door.here.team, spot.channel, spot.root, event.author, event.at)
    if is_under_way(door.desk, event):
        return  # clicked again before anything was seen to happen
    if put(door, thread, event) == "late":
        text = "More was said while you clicked, so your click does not count; see the current state below."
        door.whisper(spot, user, text)


FIELD: Final = "pk_words"  # the id of the only input in our forms
FORM: Final = "pk_form"  # the id of our forms
_LABEL: Final = 2_000  # Slack's limit for a label, in characters


@dataclass(frozen=True, slots=True)
class Click:
    """A click on a button, or a choice from a menu, below a message.

    `at` is the time on Slack's clock; `trigger` allows a form to be opened for three seconds.
    """

    team: str
    spot: Spot
    user: str
    value: str
    at: str
    trigger: str


@dataclass(frozen=True, slots=True)
class SlackForm:
    """A submitted form: `about` is the data we attached, `words` what was typed."""

    id: str
    team: str
    user: str
    about: str
    words: str


def click_of(payload: Mapping[str, Any]) -> Click:
    """Parse a `block_actions` payload; raises InputError if a part is missing."""
    container, message = payload.get("container") or {}, payload.get("message") or {}
    action = (payload.get("actions") or [{}])[0]
    ts = container.get("message_ts") or message.get("ts")
    root = container.get("thread_ts") or message.get("thread_ts") or ts
    channel = container.get("channel_id") or (payload.get("channel") or {}).get("id")
    found = {"channel": channel, "message": ts, "time": action.get("action_ts"), **_whose(payload)}
    if missing := [name for name, value in found.items() if not isinstance(value, str) or not value]:
        raise InputError(f"Slack told of a click without its {', '.join(missing)}; nothing was kept")
    return Click(
        found["team"],
        Spot(found["channel"], str(root), found["message"]),
        found["user"],
        str(action.get("value") or (action.get("selected_option") or {}).get("value") or ""),
        found["time"],
        str(payload.get("trigger_id") or ""),
    )


def form_of(payload: Mapping[str, Any]) -> SlackForm:
    """Parse a `view_submission` payload of ours; raises InputError if a part is missing."""
    view: Mapping[str, Any] = payload.get("view") or {}
    typed = [fields[FIELD] for fields in ((view.get("state") or {}).get("values") or {}).values() if FIELD in fields]
    found = {"form": view.get("id"), **_whose(payload)}
    if missing := [name for name, value in found.items() if not isinstance(value, str) or not value]:
        raise InputError(f"Slack told of a form without its {', '.join(missing)}; nothing was kept")
    words = str(typed[0].get("value") or "") if typed else ""
    return SlackForm(
        found["form"], found["team"], found["user"], str(view.get("private_metadata") or ""), words.strip()
    )


def form(title: str, label: str, about: str) -> dict[str, Any]:
    """A form with one input, its label cut to Slack's limit; `about` is returned with what is typed."""
    return {
        "type": "modal",
        "callback_id": FORM,
        "title": _plain(title),
        "submit": _plain("Send"),
        "close": _plain("Cancel"),
        "private_metadata": about,
        "blocks": [
            {
                "type": "input",
                "block_id": FIELD,
                "label": _plain(label if len(label) <= _LABEL else f"{label[: _LABEL - 1]}…"),
                "element": {"type": "plain_text_input", "action_id": FIELD, "multiline": True, "max_length": 3_000},
            }
        ],
    }


def _plain(text: str) -> dict[str, Any]:
    return {"type": "plain_text", "text": text, "emoji": False}


def _whose(payload: Mapping[str, Any]) -> dict[str, Any]:
    return {"team": (payload.get("team") or {}).get("id"), "user": (payload.get("user") or {}).get("id")}
