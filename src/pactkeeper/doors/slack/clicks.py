"""What Slack tells of clicks and forms, read into values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from pactkeeper.doors.slack.events import Spot
from pactkeeper.errors import InputError

FIELD: Final = "pk_words"  # what the one input of our forms is called
FORM: Final = "pk_form"  # what our forms are called
_LABEL: Final = 2_000  # characters of a label, which is all that Slack takes


@dataclass(frozen=True, slots=True)
class Click:
    """A click on a button, or a pick from a menu, that stands under a message.

    `at` is when it happened by Slack's clock, `trigger` by what a form may be opened for three seconds.
    """

    team: str
    spot: Spot
    user: str
    value: str
    at: str
    trigger: str


@dataclass(frozen=True, slots=True)
class Form:
    """A form that somebody sent off: `about` is what we gave it to carry, `words` what was typed."""

    id: str
    team: str
    user: str
    about: str
    words: str


def click_of(payload: Mapping[str, Any]) -> Click:
    """Read a payload `block_actions`; raises InputError where a part of it is missing."""
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


def form_of(payload: Mapping[str, Any]) -> Form:
    """Read a payload `view_submission` of ours; raises InputError where a part of it is missing."""
    view: Mapping[str, Any] = payload.get("view") or {}
    typed = [fields[FIELD] for fields in ((view.get("state") or {}).get("values") or {}).values() if FIELD in fields]
    found = {"form": view.get("id"), **_whose(payload)}
    if missing := [name for name, value in found.items() if not isinstance(value, str) or not value]:
        raise InputError(f"Slack told of a form without its {', '.join(missing)}; nothing was kept")
    words = str(typed[0].get("value") or "") if typed else ""
    return Form(found["form"], found["team"], found["user"], str(view.get("private_metadata") or ""), words.strip())


def form(title: str, label: str, about: str) -> dict[str, Any]:
    """A form with one input, its label cut to what Slack takes; `about` comes back with what is typed."""
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
