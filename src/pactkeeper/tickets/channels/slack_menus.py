"""Unplaced words in Slack: a menu beside each sentence that says where it belongs, and one menu for all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from pactkeeper.intent.thread_event import Post
from pactkeeper.intent.ticket import FIELDS, Field, Loose
from pactkeeper.tickets.channels.slack_buttons import Button, action_id, encode
from pactkeeper.tickets.channels.slack_rich import say
from pactkeeper.tickets.loose import DROP, MOST_SHOWN

Block = Mapping[str, Any]
MENUS_COST: Final = 2_500  # characters of a message that are kept for the menus
_LONGEST: Final = 180  # characters of a sentence beside its menu
_NAMES: Final[Mapping[str, str]] = {
    "title": "Title",
    "problem": "Problem",
    "proposed_solution": "Solution",
    "acceptance_criteria": "Criterion",
    "constraints": "Constraint",
    "open_questions": "Open question",
    "dependencies": "Dependency",
    "risks": "Risk",
    "evidence_links": "Evidence",
    "epic_id": "Epic",
}


def menus_of(post: Post, *, most: int) -> list[Block]:
    """A heading, a sentence with its menu each, and what all of them are; what has no room is counted."""
    shown = post.unplaced[: max(0, min(MOST_SHOWN, most - 3))]
    if not shown:
        return []
    wanted = _wanted(post)
    blocks = [_plain("Not in the ticket yet"), *(_sentence(post, one, wanted) for one in shown)]
    if len(shown) < len(post.unplaced):
        blocks.append(_plain(f"… and {len(post.unplaced) - len(shown)} more: pk thread show {post.thread}"))
    if len(shown) > 1:
        blocks.append(_all(post, shown))
    return blocks


def _wanted(post: Post) -> Field | None:
    """The field that is asked about, where it is one; it stands first in the menus, and only people pick it."""
    asked = {one.field for one in post.asks if one.topic == "missing"}
    return next(iter(asked)) if len(asked) == 1 else None


def _sentence(post: Post, one: Loose, wanted: Field | None) -> Block:
    words = " ".join(one.said.value.split())
    text = words if len(words) <= _LONGEST else f"{words[: _LONGEST - 1]}…"
    return {
        "type": "section",
        "block_id": f"pk_loose:{one.number}",
        "text": {"type": "plain_text", "text": f"{one.number}. {text} — {one.said.author}", "emoji": False},
        "accessory": _menu(
            post.thread,
            str(one.number),
            number=one.number,
            first=cast("Field", one.suggested) if one.suggested else wanted,
        ),
    }


def _all(post: Post, shown: Sequence[Loose]) -> Block:
    numbers = ",".join(str(one.number) for one in shown)
    return {
        "type": "actions",
        "block_id": "pk_loose:all",
        "elements": [_menu(post.thread, numbers, number=0, first=None)],
    }


def _menu(thread: str, numbers: str, *, number: int, first: Field | None) -> Mapping[str, Any]:
    fields = sorted((name for name in _NAMES if name in FIELDS), key=lambda name: name != first)
    options = [_option(thread, numbers, name, _NAMES[name]) for name in fields]
    label = f"Suggested: {_NAMES[first]}" if first else "This is …" if number else "All of these are …"
    return {
        "type": "static_select",
        "action_id": action_id(Button(thread, "place"), number),
        "placeholder": {"type": "plain_text", "text": label},
        "options": [*options, _option(thread, numbers, DROP, "Not for the ticket")],
    }


def _option(thread: str, numbers: str, place: str, label: str) -> Mapping[str, Any]:
    value = encode(Button(thread, "place", choice=f"{numbers}={place}"))
    return {"text": {"type": "plain_text", "text": label}, "value": value}


def _plain(text: str) -> Block:
    return {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": [say(text, form="bold")]}]}
