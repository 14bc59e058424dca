"""Slack rich text within its limits: people's words are plain pieces that Slack doesn't interpret.

A piece of type "text" is shown as it is, whatever it contains; a mention or link is a piece of another type, built only
from Slack's own ids and addresses. https://docs.slack.dev/reference/block-kit/blocks/rich-text-block

Also a ticket draft as parts of a message: each value with its author and source, and all sides of an open conflict.

And text to and from Slack: what people wrote is unchanged, and never becomes a mention, a link or formatting.

Slack interprets `&`, `<` and `>`, and `*`, `_`, `~` and backticks as formatting without an escape; the latter are
replaced by look-alikes. https://docs.slack.dev/messaging/formatting-message-text
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, Literal

from pactkeeper.intent.ticket import Choice, Draft, PlacedValue, Settled, Unknown
from pactkeeper.tickets.wording import DraftPart, draft_parts, who

Piece = dict[str, Any]
Line = tuple[Piece, ...]
Form = Literal["", "bold", "italic"]
Style = Literal["title", "plain", "bullet"]
MOST_BLOCKS: Final = 44  # of 50 in a message; the others are for notes on what is missing, and for buttons
LONGEST_TITLE: Final = 150  # characters of a header
LONGEST: Final = 2_900  # characters in one block, a little under the 3,000 of a section
# Characters in all blocks of a message. Slack refuses more than about 12,000, counting more than it shows.
# https://github.com/slackapi/bolt-js/issues/2867
MOST: Final = 9_000
_ADDRESS: Final = re.compile(r"https?://[^\s\"'<>|]{1,2000}")


@dataclass(frozen=True, slots=True)
class Part:
    """Lines under one of our headings; a part with the style `title` has a single piece of at most LONGEST_TITLE."""

    heading: str
    lines: tuple[Line, ...]
    style: Style = "bullet"


@dataclass(slots=True)
class Packed:
    """Blocks and their cost; `left` counts the lines that didn't fit."""

    blocks: list[Mapping[str, Any]] = field(default_factory=list)
    cost: int = 0
    left: int = 0


def say(text: str, *, form: Form = "") -> Piece:
    """A text piece; an empty text becomes a dash, since Slack rejects empty pieces.

    People's words are never styled, so anything styled is known to be ours.
    """
    piece: Piece = {"type": "text", "text": visible(text) or "–"}
    return {**piece, "style": {form: True}} if form else piece


def link(address: str, label: str) -> Line:
    """A link with our own label; empty if the address isn't http or https."""
    if _ADDRESS.fullmatch(address) is None:
        return ()
    return (say(", ", form="italic"), {"type": "link", "url": address, "text": label})


def is_address(text: str) -> bool:
    """Whether the whole text is an http or https address."""
    return _ADDRESS.fullmatch(text) is not None


def pack(parts: Sequence[Part], *, most: int = MOST) -> Packed:
    """Put parts into blocks in order while there is room; after the first line that doesn't fit, nothing is added."""
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
    """The number of characters in a line, including addresses."""
    return sum(len(piece.get("text", "")) + len(piece.get("url", "")) for piece in line)


def _groups(part: Part) -> Iterator[tuple[Line, ...]]:
    """The lines of a part, grouped so that each group fits into one block."""
    group: list[Line] = []
    for line in (short for whole in part.lines for short in _short(whole)):
        if group and sum(map(cost_of, group)) + cost_of(line) > LONGEST:
            yield tuple(group)
            group = []
        group.append(line)
    if group:
        yield tuple(group)


def _short(line: Line) -> Iterator[Line]:
    """Split a line into lines that fit."""
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
        text = {"type": "plain_text", "text": lines[0][0]["text"], "emoji": False}  # shown literally, too
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


_SETTLED: Final[Mapping[Choice, str]] = {
    "keep_a": "the first holds",
    "keep_b": "the second holds",
    "both": "both hold",
    "amend": "said anew",
}


def parts_of(draft: Draft) -> Iterator[Part]:
    """Everything that an approval of a draft covers, in the order of its fields."""
    if draft.title is None:
        yield Part("", ((say("(no title yet)"),),), "title")
    for part in draft_parts(draft):
        yield from _title(part) if part.style == "title" else (_part(part),)
    if draft.evidence_links:
        yield Part("Evidence", tuple((say(one.value), *_origin(one)) for one in draft.evidence_links))
    if draft.unknown:
        yield Part("Unknown for now", tuple(map(_unknown, draft.unknown)))
    if draft.settled:
        yield Part("Settled", tuple(map(_settled, draft.settled)))


def _part(part: DraftPart) -> Part:
    """Each value with its author and a link to the message; an open conflict has one line per side."""
    box = "☐ " if part.style == "boxes" else ""
    lines = [(say(f"{box}{line.words(side.value)}"), *_origin(side)) for line in part.lines for side in line.sides]
    if part.style in {"list", "boxes"}:
        return Part(part.heading, tuple(lines))
    is_open = len(lines) > 1
    heading = f"{part.heading} (open: which one holds?)" if is_open else part.heading
    return Part(heading, tuple(lines), "bullet" if is_open else "plain")


def _origin(said: PlacedValue) -> Line:
    """The author and a link, in a style that people's words never have."""
    return (say(f" — {who(said)}", form="italic"), *link(said.permalink, "message"))


def _title(title: DraftPart) -> Iterator[Part]:
    """The title as a header, and its author; a long title, or two contradicting ones, as an ordinary field."""
    (first, *others) = title.lines[0].sides
    if others or len(visible(first.value)) > LONGEST_TITLE or "\n" in visible(first.value):
        yield _part(title)
    else:
        yield Part("", ((say(first.value),),), "title")
        yield Part("", ((say("Title"), *_origin(first)),), "plain")


def _unknown(unknown: Unknown) -> Line:
    return (say(f"{unknown.field.replace('_', ' ')}: {unknown.said.quote}"), *_origin(unknown.said))


def _settled(settled: Settled) -> Line:
    return (say(f"{_SETTLED[settled.choice]}: {settled.said.quote}"), *_origin(settled.said))


# Invisible characters that only a program would read: zero width, direction marks, tags, and controls.
_UNSEEN: Final = re.compile(
    "[\ud800-\udfff\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_ENDS: Final = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
_QUOTE: Final = re.compile(r"^(?P<indent>[ \t]*)>", re.MULTILINE)  # Slack shows `&gt;` at a line's start as a quote
_FORMATS: Final = re.compile(r"(?<!\w)[*_~]|[*_~](?!\w)|`")
_ALIKE: Final = MappingProxyType({"*": "∗", "_": "ˍ", "~": "∼", "`": "ˋ"})
_CALL: Final = re.compile(r"(?<![\w.+-])@(?=\w)")
_JOINER: Final = "\u2060"  # after an @ it makes the name match nobody, and is invisible
_LINK: Final = re.compile(r"\[(?P<label>[^\[\]\n]+)\]\((?P<url>[^()\s]+)\)")
_OURS: Final = re.compile(r"\*\*(?P<bold>[^*\n]+)\*\*|`(?P<code>[\w./:-]+)`")
_LINE: Final = re.compile(r"(?P<heading>#{1,6} )|(?P<item>- )(?:\[(?P<box>[ x])\] )?")
_SEQUENCE: Final = re.compile(r"<(?P<inner>[^<>\n]*)>")
_BOXES: Final = re.compile(r"^(?P<indent>[ \t]*)(?:[-•◦▪] )?(?P<box>[☐☑☒✅✔])\ufe0f? *(?=\S)", re.MULTILINE)
_ENTITIES: Final = (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"))  # the last one last, or `&amp;lt;` becomes `<`


def visible(text: str) -> str:
    """The text without invisible characters; every line ending becomes a newline, every no-break space a space."""
    return _UNSEEN.sub("", _ENDS.sub("\n", text).replace("\u00a0", " "))


def escaped(text: str) -> str:
    """Escape Slack's control characters, as every `mrkdwn` and message text requires."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def inert(text: str) -> str:
    """People's words as `mrkdwn` that looks the same, mentions nobody and formats nothing."""
    unformed = _FORMATS.sub(lambda found: _ALIKE[found.group()], _QUOTE.sub(r"\g<indent>›", visible(text)))
    return _CALL.sub(f"@{_JOINER}", escaped(unformed))


def mrkdwn(markdown: str) -> str:
    """Convert our own Markdown to `mrkdwn`: headings, lists, boxes, `**bold**` and `code`; everything else is inert.

    A link shows its target, since its label may come from anybody.
    """
    return "\n".join(_line(line) for line in visible(markdown).split("\n"))


def _line(line: str) -> str:
    lead = _LINE.match(line)
    if lead is None:
        return _words(line)
    rest = line[lead.end() :]
    if lead["heading"]:
        return f"*{inert(rest)}*" if rest.strip() else ""
    box = {" ": "☐ ", "x": "☑ ", None: ""}[lead["box"]]
    return f"• {box}{_words(rest)}"


def _words(text: str) -> str:
    text = _LINK.sub(lambda found: f"{found['label']} ({found['url']})", text)
    pieces, at = [], 0
    for found in _OURS.finditer(text):
        shown = f"*{inert(found['bold'])}*" if found["bold"] else f"`{found['code']}`"
        pieces += [inert(text[at : found.start()]), shown]
        at = found.end()
    return "".join([*pieces, inert(text[at:])])


def read_text(text: str, *, bot: str = "", names: Mapping[str, str] = MappingProxyType({})) -> str:
    """Convert a received message to Markdown; `bot` is our own user id, `names` maps user ids to names.

    Mentions of the bot are removed, other people become `@name`, and links keep their label and target.
    """
    pieces, at = [], 0
    for found in _SEQUENCE.finditer(text):
        pieces += [_unescaped(text[at : found.start()]), _meant(found["inner"], bot=bot, names=names)]
        at = found.end()
        if not pieces[-1]:
            at += len(text[at:]) - len(text[at:].lstrip(" "))
    pieces.append(_unescaped(text[at:]))
    return _BOXES.sub(_box, visible("".join(pieces))).strip()


def _meant(inner: str, *, bot: str, names: Mapping[str, str]) -> str:
    """The text for a Slack sequence: a person, a channel, a group mention, or a link."""
    target, _, label = inner.partition("|")
    label = _unescaped(label)
    if target.startswith("@"):
        user = target[1:]
        return "" if bot and user == bot else f"@{names.get(user) or label or user}"
    if target.startswith("#"):
        return f"#{label or target[1:]}"
    if target.startswith("!"):
        return _called(target[1:], label)
    return _linked(_unescaped(target), label)


def _called(name: str, label: str) -> str:
    """The text for a mention of everybody or a group, or for a date."""
    if name.startswith(("date^", "subteam^")):
        return label or f"@{name.split('^')[1]}"
    return f"@{name}"


def _linked(target: str, label: str) -> str:
    scheme, _, rest = target.partition(":")
    if scheme in {"mailto", "tel"}:
        return label or rest
    if not label or label.rstrip("/") in {target.rstrip("/"), rest.strip("/")}:
        return target
    words = label.replace("[", "(").replace("]", ")")
    return f"[{words}]({target})"


def _box(found: re.Match[str]) -> str:
    return f"{found['indent']}- [{' ' if found['box'] == '☐' else 'x'}] "


def _unescaped(text: str) -> str:
    for entity, sign in _ENTITIES:
        text = text.replace(entity, sign)
    return text
