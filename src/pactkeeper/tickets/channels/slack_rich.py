"""Rich text of Slack, packed within its limits: what people wrote stands in it as plain pieces that are never read.

A piece of type "text" is shown as it is, whatever is in it; a mention or link is a piece of another type, which only
comes from ids and addresses of Slack's own. https://docs.slack.dev/reference/block-kit/blocks/rich-text-block
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from pactkeeper.tickets.channels.slack_text import visible

Piece = dict[str, Any]
Line = tuple[Piece, ...]
Form = Literal["", "bold", "italic"]
Style = Literal["title", "plain", "bullet"]
MOST_BLOCKS: Final = 44  # of 50 in a message; the others are for what says what is missing, and for buttons
LONGEST_TITLE: Final = 150  # characters of a header
LONGEST: Final = 2_900  # characters in one block, a little less than the 3,000 of a section
# Characters of all blocks of a message. Slack refuses more than about 12,000 and counts more than it shows.
# https://github.com/slackapi/bolt-js/issues/2867
MOST: Final = 9_000
_ADDRESS: Final = re.compile(r"https?://[^\s\"'<>|]{1,2000}")


@dataclass(frozen=True, slots=True)
class Part:
    """Lines under a heading of ours, as a list or not; a title is one piece of LONGEST_TITLE at most, alone."""

    heading: str
    lines: tuple[Line, ...]
    style: Style = "bullet"


@dataclass(slots=True)
class Packed:
    """Blocks with what they cost; `left` counts the lines that there was no room for."""

    blocks: list[Mapping[str, Any]] = field(default_factory=list)
    cost: int = 0
    left: int = 0


def say(text: str, *, form: Form = "") -> Piece:
    """Words as they are; without a character they become a dash, since Slack takes no empty piece.

    What people wrote has no form, so that whatever has one is known to be ours.
    """
    piece: Piece = {"type": "text", "text": visible(text) or "–"}
    return {**piece, "style": {form: True}} if form else piece


def link(address: str, label: str) -> Line:
    """A link with a label of ours; nothing where the address is none of the web."""
    if _ADDRESS.fullmatch(address) is None:
        return ()
    return (say(", ", form="italic"), {"type": "link", "url": address, "text": label})


def is_address(text: str) -> bool:
    """Whether a text as a whole is an address of the web."""
    return _ADDRESS.fullmatch(text) is not None


def pack(parts: Sequence[Part], *, most: int = MOST) -> Packed:
    """Put parts into blocks, in order, for as long as there is room; nothing comes after what found none."""
    packed = Packed()
    for part in parts:
        for number, lines in enumerate(_groups(part)):
            cost = len(part.heading) + sum(map(cost_of, lines))
            if packed.left or packed.cost + cost > most or len(packed.blocks) >= MOST_BLOCKS:
                packed.left += len(lines)
                continue
            packed.blocks.append(_block(part, lines, goes_on=number > 0))
            packed.cost += cost
    return packed


def cost_of(line: Line) -> int:
    """The characters of a line, addresses included."""
    return sum(len(piece.get("text", "")) + len(piece.get("url", "")) for piece in line)


def _groups(part: Part) -> Iterator[tuple[Line, ...]]:
    """The lines of a part in groups that fit into one block each."""
    group: list[Line] = []
    for line in (short for whole in part.lines for short in _short(whole)):
        if group and sum(map(cost_of, group)) + cost_of(line) > LONGEST:
            yield tuple(group)
            group = []
        group.append(line)
    if group:
        yield tuple(group)


def _short(line: Line) -> Iterator[Line]:
    """A line as lines that fit; one that does is itself."""
    if cost_of(line) <= LONGEST:
        yield line
        return
    for piece in line:
        text = piece.get("text", "")
        cuts = range(0, len(text), LONGEST) if len(text) > LONGEST else ()
        yield from (({**piece, "text": text[at : at + LONGEST]},) for at in cuts)
        if not cuts:
            yield (piece,)


def _block(part: Part, lines: Sequence[Line], *, goes_on: bool) -> Mapping[str, Any]:
    if part.style == "title":
        text = {"type": "plain_text", "text": lines[0][0]["text"], "emoji": False}  # which is shown as it is, too
        return {"type": "header", "text": text}
    heading = f"{part.heading} (continued)" if part.heading and goes_on else part.heading
    lead = [say(heading, form="bold")] if heading else []
    if part.style == "plain":
        pieces = [piece for line in (lead, *lines) if line for piece in (say("\n"), *line)]
        return {"type": "rich_text", "elements": [_section(pieces[1:])]}
    found = [_section(lead)] if lead else []
    items = {"type": "rich_text_list", "style": "bullet", "elements": [_section(line) for line in lines]}
    return {"type": "rich_text", "elements": [*found, items]}


def _section(pieces: Sequence[Piece]) -> Mapping[str, Any]:
    return {"type": "rich_text_section", "elements": list(pieces)}
