"""The values of Slack buttons: the thread, version and question that a click counts for, and for no other."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Final, Literal, cast, get_args

from pactkeeper.errors import InputError
from pactkeeper.intent.thread_event import Post
from pactkeeper.intent.ticket import CHOICES, FIELDS, Field, Loose
from pactkeeper.tickets.channels.slack_rich import say
from pactkeeper.tickets.loose import DROP, MOST_SHOWN

ButtonAction = Literal["approve", "changes", "answer", "choice", "place"]
ACTIONS: Final[tuple[ButtonAction, ...]] = get_args(ButtonAction)
ACTION_ID: Final = "pk_"
LONGEST: Final = 2_000  # characters of a value, Slack's limit
_FORMAT: Final = "1"
_PLACE: Final = re.compile(r"pk1 (?P<thread>\S{1,60}) (?P<words>[\d,-]{1,40}=\w{1,24})")
_NUMBERED: Final = frozenset({"answer", "choice", "place"})  # a message may contain several of these


@dataclass(frozen=True, slots=True)
class Button:
    """Something to click: `version` and `hash` identify the draft to approve, `ask` the question to answer.

    `choice` is one of CHOICES for a conflict, or what a menu places: `2=problem`. `post` is the key of the post that
    the button belongs to.
    """

    thread: str
    action: ButtonAction
    version: int = 0
    hash: str = ""
    ask: str = ""
    choice: str = ""
    post: str = ""


def action_id(button: Button, number: int = 0) -> str:
    """The action id that Slack reports for a click: `pk_approve`, `pk_changes`, `pk_answer:2`, `pk_choice:3`."""
    return f"{ACTION_ID}{button.action}{f':{number}' if button.action in _NUMBERED else ''}"


def encode(button: Button) -> str:
    """Encode a button as the value that Slack sends back; raise ValueError if it is too long.

    A menu's value is short, since Slack allows 150 characters for an option.
    """
    if button.action == "place":
        return f"pk1 {button.thread} {button.choice}"
    value = json.dumps({"pk": _FORMAT, **asdict(button)}, separators=(",", ":"), sort_keys=True)
    if len(value) > LONGEST:
        raise ValueError(f"a button of {len(value)} characters exceeds Slack's limit of {LONGEST}")
    return value


def decode(value: str) -> Button:
    """Decode what `encode` wrote; raise InputError for anything else, with a message suited to whoever clicked."""
    placing = _PLACE.fullmatch(value)
    if placing is not None:
        return Button(placing["thread"], "place", choice=placing["words"])
    button = Button(**_fields(value))
    if problem := _wrong_with(button):
        raise InputError(f"this button cannot be read: {problem}; write what you want in the thread")
    return button


def _fields(value: str) -> Mapping[str, Any]:
    wanted = {one.name for one in fields(Button)}
    try:
        found = json.loads(value) if len(value) <= LONGEST else None
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or found.keys() != {"pk", *wanted} or found["pk"] != _FORMAT:
        raise InputError("this button is from another version; write what you want in the thread")
    return {name: found[name] for name in wanted}


def _wrong_with(button: Button) -> str:
    """The first problem that makes a button invalid; empty if there is none."""
    texts = (button.thread, button.action, button.hash, button.ask, button.choice, button.post)
    if not all(isinstance(one, str) for one in texts) or type(button.version) is not int:
        return "a part of it has the wrong type"
    return next((words for is_wrong, words in _RULES if is_wrong(button)), "")


_RULES: Final[tuple[tuple[Callable[[Button], bool], str], ...]] = (
    (lambda one: not one.thread, "it names no thread"),
    (lambda one: one.action not in ACTIONS or one.action == "place", "its action is unknown"),
    (lambda one: one.action == "approve" and (one.version < 1 or not one.hash), "it names no version"),
    (lambda one: one.action in {"answer", "choice"} and not one.ask, "it names no question"),
    (lambda one: (one.action == "choice") != (one.choice in CHOICES), "its choice belongs to no conflict"),
)


Block = Mapping[str, Any]
MENUS_COST: Final = 2_500  # characters of a message reserved for the menus
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
    """A heading, a menu beside each sentence, and one for all of them; sentences that don't fit are counted."""
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
    """The field being asked about, if there is only one; the menus list it first, but don't select it."""
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
