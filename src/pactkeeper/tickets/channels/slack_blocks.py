"""A post as Slack blocks: blockers first, each value with its author, and buttons bound to what is shown.

A button is offered only for what is fully shown above it. If something doesn't fit into a message, the message says so,
and can't be approved or chosen from.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pactkeeper.advice import TICKET
from pactkeeper.intent.thread_event import Post, PostKind
from pactkeeper.intent.ticket import Ask, Choice, Draft
from pactkeeper.tickets import wording
from pactkeeper.tickets.channels.slack_buttons import MENUS_COST, Button, action_id, encode, menus_of
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
