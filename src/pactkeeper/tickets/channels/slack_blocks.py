"""A post as Slack blocks: blockers first, each value with its author, and buttons bound to what is shown.

A button is offered only for what is fully shown above it. If something doesn't fit into a message, the message says so,
and can't be approved or chosen from. A button's value names the thread, version and question that a click counts for,
and no other.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Final, Literal, cast, get_args

from pactkeeper.advice import TICKET
from pactkeeper.errors import InputError
from pactkeeper.intent.thread_event import Post, PostKind
from pactkeeper.intent.ticket import CHOICES, FIELDS, Ask, Choice, Draft, Field, Loose
from pactkeeper.tickets import wording
from pactkeeper.tickets.channels.slack_rich import (
    MOST,
    MOST_BLOCKS,
    Line,
    Packed,
    Part,
    Piece,
    is_address,
    mrkdwn,
    pack,
    parts_of,
    say,
    visible,
)
from pactkeeper.tickets.loose import DROP, MOST_SHOWN

Block = Mapping[str, Any]
_LONGEST_TEXT: Final = 3_000  # characters of a notification; Slack truncates or refuses from 4,000 on
_CHOICES: Final[Mapping[Choice, str]] = {
    "keep_a": "Keep A",
    "keep_b": "Keep B",
    "both": "Both hold",
    "amend": "Reword it",
}
_HEADINGS: Final[Mapping[PostKind, str]] = {"created": "The ticket exists now"}
_PERSON: Final = re.compile(r"(?:.* \((?P<behind>[UW][A-Z0-9]{2,20})\)|(?P<alone>[UW][A-Z0-9]{2,20}))")
_ENTITY: Final = re.compile(r"&\w{0,4}\Z")


@dataclass(frozen=True, slots=True)
class Rendered:
    """A post as sent to Slack: `text` is for notifications, `whole` says whether the blocks show the entire post."""

    blocks: tuple[Block, ...]
    text: str
    whole: bool


def render(post: Post, *, most: int = MOST) -> Rendered:
    """Turn a post into blocks within Slack's limits, showing at most `most` characters."""
    room = most - MENUS_COST if post.unplaced else most
    blocks, whole = _questions(post, room) if post.asks else _words(post, room)
    if post.unplaced:
        blocks += menus_of(post, most=MOST_BLOCKS - len(blocks))
    return Rendered(tuple(blocks), _short(mrkdwn(post.text)), whole)


def _questions(post: Post, most: int) -> tuple[list[Block], bool]:
    """Each question with its own buttons below it; one that doesn't fit is answered in words."""
    opening = pack([*_reminding(post), *_against(post)], most=most)
    blocks: list[Block] = list(opening.blocks)
    room, whole, number = most - opening.cost, not opening.left, 0
    for place, ask in enumerate(post.asks, 1):
        lead: Line = (say(f"{ask.number or place}. ", form="bold"),) if len(post.asks) > 1 or ask.number > 1 else ()
        packed = pack([Part("", ((*lead, say(ask.text)),), "plain")], most=room // len(post.asks))
        blocks += [
            *packed.blocks,
            *_missing(packed, f"Reply in words, or see everything: pk thread show {post.thread}"),
        ]
        buttons = list(_of_question(post, ask, choosable=not packed.left))
        blocks.append(_actions(buttons, number=number, block=f"pk_ask:{place}"))
        whole, number = whole and not packed.left, number + len(buttons)
    return blocks, whole


def _reminding(post: Post) -> list[Part]:
    """The first line of a reminder, saying that these questions were asked before."""
    return [Part("", ((say(post.text.partition("\n")[0]),),), "plain")] if post.kind == "reminder" else []


def _of_question(post: Post, ask: Ask, *, choosable: bool) -> Iterator[tuple[str, Button]]:
    """A button per choice of a conflict, or one that opens a text field."""
    for choice in ask.choices if choosable else ():
        yield _CHOICES[choice], Button(post.thread, "choice", ask=ask.id, choice=choice, post=post.key)
    if not ask.choices or not choosable:
        yield "Answer", Button(post.thread, "answer", ask=ask.id, post=post.key)


def _words(post: Post, most: int) -> tuple[list[Block], bool]:
    """The post's text, then its buttons."""
    packed = pack(tuple(_parts(post)), most=most)
    blocks: list[Block] = list(packed.blocks)
    if post.draft is None:
        return [*blocks, *_missing(packed, f"Everything: pk thread show {post.thread}")], not packed.left
    named = f"{post.thread} {post.draft.version}"
    elsewhere = f"so it cannot be approved here. See it with: pk thread show {post.thread}"
    blocks += [*_missing(packed, f"{elsewhere}, approve it with: {TICKET(named)}"), _version(post.draft)]
    if post.approvable:
        blocks.append(_actions(list(_of_draft(post, post.draft, whole=not packed.left)), block="pk_draft"))
    return blocks, not packed.left


def _parts(post: Post) -> Iterator[Part]:
    if post.draft is None:
        yield _plain(post)
        return
    yield from _lead(post)
    yield from _against(post)
    yield from parts_of(post.draft)


def _plain(post: Post) -> Part:
    """Our own text unchanged, with the ticket's address as a link."""
    lines = visible(_without_menus(post)).strip().split("\n")
    return Part(_HEADINGS.get(post.kind, ""), tuple(_linked(line, post.url) for line in lines if line.strip()), "plain")


def _without_menus(post: Post) -> str:
    """The text of a post without the list that its menus show."""
    return post.text.partition(wording.NOT_YET)[0] if post.unplaced else post.text


def _linked(line: str, address: str) -> Line:
    shown = f"• {line[2:]}" if line.startswith("- ") else line
    before, found, after = shown.partition(address) if is_address(address) else (shown, "", "")
    leads: tuple[Piece, ...] = ({"type": "link", "url": address},) if found else ()
    return (*((say(before),) if before else ()), *leads, *((say(after),) if after else ()))


def _lead(post: Post) -> Iterator[Part]:
    """What comes before a draft: the addressee and why, or that nothing is asked any more."""
    first = post.text.partition("\n\n")[0]
    if post.kind == "stale":
        yield Part("", ((*_called(post.to), say(first.removeprefix(f"{post.to}: "))),), "plain")
    elif post.kind == "gaps":
        yield Part("", ((say(first),),), "plain")


def _called(to: str) -> Line:
    """A mention of the addressee by the id at the end of the name, so that they are notified; else the name."""
    found = _PERSON.fullmatch(to)
    if found is None:
        return (say(f"{to}: "),) if to else ()
    return ({"type": "user", "user_id": found["behind"] or found["alone"]}, say(": "))


def _against(post: Post) -> Iterator[Part]:
    keeps = any(one.severity == "error" for one in post.blockers)
    heading = "What is missing for a ticket" if keeps else "Please check this first"
    if post.blockers:
        yield Part(heading, tuple((say(one.severity, form="bold"), say(f": {one.text}")) for one in post.blockers))


def _version(draft: Draft) -> Block:
    text = {"type": "plain_text", "text": f"Version {draft.version}, {wording.short(draft.hash)}", "emoji": False}
    return {"type": "context", "elements": [text]}


def _of_draft(post: Post, draft: Draft, *, whole: bool) -> Iterator[tuple[str, Button]]:
    """Buttons to approve exactly this version, only if all of it is shown, and to request changes."""
    if whole:
        yield "Approve", Button(post.thread, "approve", draft.version, draft.hash, post=post.key)
    yield "Request changes", Button(post.thread, "changes", draft.version, draft.hash, post=post.key)


def _missing(packed: Packed, words: str) -> list[Block]:
    """A block saying how much isn't shown and where to find it; empty if everything is shown."""
    if not packed.left:
        return []
    said = f"{packed.left} more lines don't fit into a Slack message. {words[:1].upper()}{words[1:]}"
    return [{"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": [say(said, form="bold")]}]}]


def _actions(buttons: Sequence[tuple[str, Button]], *, block: str, number: int = 0) -> Block:
    """A row of buttons; `number` is how many came before it in the message."""
    elements = [_element(label, button, at) for at, (label, button) in enumerate(buttons, number + 1)]
    return {"type": "actions", "block_id": block, "elements": elements}


def _element(label: str, button: Button, number: int) -> Mapping[str, Any]:
    found = {
        "type": "button",
        "text": _plain_text(label),
        "action_id": action_id(button, number),
        "value": encode(button),
    }
    if button.action != "approve":
        return found
    return {**found, "style": "primary", "confirm": _confirm(button)}


def _confirm(button: Button) -> Mapping[str, Any]:
    """The confirmation before a ticket is written, which can't be undone."""
    text = f"Version {button.version}, {wording.short(button.hash)}, goes to the board with everything shown above."
    return {
        "title": _plain_text(f"Approve version {button.version}?"),
        "text": _plain_text(text),
        "confirm": _plain_text("Approve"),
        "deny": _plain_text("Not yet"),
    }


def _plain_text(text: str) -> Mapping[str, Any]:
    return {"type": "plain_text", "text": text}


def _short(text: str) -> str:
    """The notification text, truncated if it is too long; the blocks have all of it."""
    return text if len(text) <= _LONGEST_TEXT else f"{_ENTITY.sub('', text[:_LONGEST_TEXT])}…"


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
    blocks = [_heading("Not in the ticket yet"), *(_sentence(post, one, wanted) for one in shown)]
    if len(shown) < len(post.unplaced):
        blocks.append(_heading(f"… and {len(post.unplaced) - len(shown)} more: pk thread show {post.thread}"))
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


def _heading(text: str) -> Block:
    return {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": [say(text, form="bold")]}]}
