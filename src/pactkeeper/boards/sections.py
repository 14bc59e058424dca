"""Markdown by places: our own section, text under a heading, a to-do, a log line; and by blocks, for merging.

Our own section is enclosed by two comments with its mark, the key of the change that wrote it and the hash of its text,
which reveals edits by people.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final, Literal

from pactkeeper.errors import RefusedError, StaleError
from pactkeeper.speech.spans import heading as heading_of

_BEGIN: Final = re.compile(r"<!-- pactkeeper:begin (\S+) (\S+) ([0-9a-f]{16}) -->\r?\n")
_END: Final = "<!-- pactkeeper:end {mark} -->"
_FENCE: Final = re.compile(r" {0,3}(```+|~~~+)")
_TODO: Final = re.compile(r"[ \t]*(?:[-*+]|\d+[.)])[ \t]+\[([ xX])\][ \t]+(.*?)[ \t]*")


@dataclass(frozen=True, slots=True)
class OwnSection:
    """Our own section: its text, the key that wrote it, its position, and whether a person has edited it."""

    mark: str
    key: str
    heading: str
    text: str
    start: int
    end: int
    edited: bool


def valid_mark(mark: str) -> str:
    """The mark itself; raise RefusedError if it isn't safe in a comment."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,79}", mark) or "--" in mark:
        raise RefusedError(f"{mark!r} is not a section mark; write up to 80 letters, digits, single dashes, dots")
    return mark


def harmless(text: str) -> str:
    """The text with our own comments escaped, so that they mark nothing."""
    return text.replace("<!-- pactkeeper:", "&lt;!-- pactkeeper:")


def own_heading(heading: str) -> str:
    """A heading as we write it: on one line, with our comments escaped."""
    return harmless(" ".join(heading.split()))


def own_text(text: str) -> str:
    """A text as we write it: stripped of outer blank lines, with our comments escaped."""
    return harmless(text).replace("\r\n", "\n").strip("\n")


def own_section(body: str, mark: str) -> OwnSection | None:
    """Find our section by its mark; raise StaleError if its comments occur twice or its end is missing."""
    found = [one for one in _BEGIN.finditer(body) if one[1] == mark]
    if not found:
        return None
    end = body.find(_END.format(mark=mark), found[0].end())
    if len(found) > 1 or end < 0:
        what = "stands more than once" if len(found) > 1 else "has lost its end marker"
        raise StaleError(f"the section {mark!r} {what}; repair the comments `pactkeeper:begin {mark}` by hand")
    begin = found[0]
    inner = body[begin.end() : end].replace("\r\n", "\n")
    first, _, rest = inner.partition("\n")
    return OwnSection(
        mark,
        begin[2],
        heading=first.removeprefix("## "),
        text=rest.strip("\n"),
        start=begin.start(),
        end=end + len(_END.format(mark=mark)),
        edited=_hash(inner) != begin[3],
    )


def with_section(body: str, *, mark: str, key: str, heading: str, text: str) -> str:
    """The body with our section renewed in place, or appended; everything else stays byte for byte.

    Raise StaleError if a person has edited the section.
    """
    newline = _newline(body)
    inner = f"## {own_heading(heading)}\n\n{own_text(text)}\n"
    begin = f"<!-- pactkeeper:begin {valid_mark(mark)} {key} {_hash(inner)} -->\n"
    written = (begin + inner + _END.format(mark=mark)).replace("\n", newline)
    old = own_section(body, mark)
    if old is None:
        return body + (newline if body else "") + written + newline
    _refuse_edited(old)
    return body[: old.start] + written + body[old.end :]


def without_section(body: str, mark: str) -> str:
    """The body without our section and the newlines added around it; raise StaleError if a person has edited it."""
    old = own_section(body, mark)
    if old is None:
        return body
    _refuse_edited(old)
    newline = _newline(body)
    return body[: old.start].removesuffix(newline) + body[old.end :].removeprefix(newline)


def patched(body: str, *, heading: str, old: str, new: str) -> str:
    """The body with text replaced under one heading; raise StaleError unless it occurs there exactly once."""
    start, end = under(body, heading)
    count = body.count(old, start, end) if old else 0
    if count != 1:
        how = "is not there" if not count else f"stands there {count} times"
        raise StaleError(f"under {heading!r} the text {_short(old)} {how}; nothing was changed")
    at = body.index(old, start, end)
    return body[:at] + new + body[at + len(old) :]


def section_text(body: str, heading: str) -> str:
    """The text under a heading, up to the next of its level; raise StaleError unless the heading occurs once."""
    start, end = under(body, heading)
    return body[start:end]


def todo_state(body: str, text: str) -> bool:
    """Whether a to-do is ticked; raise StaleError unless exactly one has this text."""
    return _todo(body, text)[1]


def ticked(body: str, text: str, *, done: bool) -> str:
    """The body with a to-do ticked or unticked; raise StaleError unless exactly one has this text."""
    at, _ = _todo(body, text)
    return body[:at] + ("x" if done else " ") + body[at + 1 :]


def _todo(body: str, text: str) -> tuple[int, bool]:
    """The offset of the character between the brackets, and whether it is ticked."""
    wanted = " ".join(text.split())
    found = [
        (offset + match.start(1), match[1] != " ")
        for offset, line in _lines(body)
        if (match := _TODO.fullmatch(line)) and " ".join(match[2].split()) == wanted
    ]
    if len(found) != 1:
        how = "is not there" if not found else f"stands there {len(found)} times"
        raise StaleError(f"the to-do {_short(text)} {how}; nothing was changed")
    return found[0]


def under(body: str, heading: str) -> tuple[int, int]:
    """The span of the text under a heading; an empty heading means everything before the first one."""
    headings = [
        (offset, offset + len(line), one.level, one.words) for offset, line in _lines(body) if (one := heading_of(line))
    ]
    if not heading:
        return 0, headings[0][0] if headings else len(body)
    found = [index for index, one in enumerate(headings) if one[3] == heading]
    if len(found) != 1:
        how = "no" if not found else f"{len(found)} times the"
        raise StaleError(f"the document has {how} heading {heading!r}; nothing was changed")
    _, start, level, _ = headings[found[0]]
    end = next((one[0] for one in headings[found[0] + 1 :] if one[2] <= level), len(body))
    return start, end


def _lines(body: str) -> list[tuple[int, str]]:
    """Every line outside fenced code with its offset, without its line ending."""
    found: list[tuple[int, str]] = []
    fence, offset = "", 0
    for whole in body.splitlines(keepends=True):
        line = whole.rstrip("\r\n")
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
        elif mark:
            fence = mark[1]
        else:
            found.append((offset, line))
        offset += len(whole)
    return found


def _refuse_edited(section: OwnSection) -> None:
    if section.edited:
        raise StaleError(
            f"somebody changed the section {section.mark!r} by hand; delete its two comments to make it yours"
        )


def _hash(inner: str) -> str:
    return sha256(inner.encode()).hexdigest()[:16]


def _newline(body: str) -> str:
    return "\r\n" if "\r\n" in body else "\n"


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")  # noqa: PLR2004 - fits on a message's line


Kind = Literal["heading", "item", "text"]
# A block's identity: its heading's words, its kind, its words, and its number among equal ones.
Name = tuple[str, Kind, str, int]

_LINE: Final = re.compile(r"[^\n]*\n|[^\n]+")
_BLOCK_FENCE: Final = re.compile(r"[ \t]*(```+|~~~+)")
_HEADING: Final = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")
_ITEM: Final = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]+(?:\[([ xX])\](?=[ \t]))?[ \t]*|$)")
_RULE: Final = re.compile(r" {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}")
_BELOW: Final = ("  ", "\t")


@dataclass(frozen=True, slots=True)
class MarkdownBlock:
    """One block: `lead` are the blank lines above it, `raw` its own lines with newlines; `level` is for headings.

    `section` is the text of the heading above it, `words` its own text without markers, `tick` is for items.
    """

    kind: Kind
    section: str
    lead: str
    raw: str
    words: str
    level: int = 0
    tick: str = ""

    @property
    def said(self) -> tuple[str, str]:
        """Everything a person could have changed, except the item's marker and trailing spaces."""
        lines = [line.rstrip() for line in self.raw.split("\n")]
        lines[0] = _bare(self.kind, lines[0])
        return self.tick, "\n".join(lines).strip("\n")


def named(blocks: tuple[MarkdownBlock, ...]) -> Mapping[Name, MarkdownBlock]:
    """Blocks by identity, in order."""
    seen: dict[tuple[str, Kind, str], int] = {}
    found: dict[Name, MarkdownBlock] = {}
    for one in blocks:
        alike = (one.section, one.kind, one.words)
        seen[alike] = seen.get(alike, 0) + 1
        found[*alike, seen[alike]] = one
    return found


def blocks_of(text: str) -> tuple[MarkdownBlock, ...]:
    """Parse a text that ends with a newline and neither starts nor ends with a blank line."""
    found: list[MarkdownBlock] = []
    section = ""
    for kind, lead, raw in _pieces(text):
        first = raw.split("\n", 1)[0].rstrip()
        heading = _HEADING.match(first) if kind == "heading" else None
        words = " ".join((_heading_words(first[heading.end() :]) if heading else _bare(kind, raw)).split())
        if heading:
            section = words
        box = _ITEM.match(first) if kind == "item" else None
        tick = (box[1] or "").casefold() if box else ""
        found.append(
            MarkdownBlock(
                kind, "" if heading else section, lead, raw, words, level=len(heading[1]) if heading else 0, tick=tick
            )
        )
    return tuple(found)


def _heading_words(text: str) -> str:
    """A heading's text without closing marks."""
    words = text.strip()
    open_ended = words.rstrip("#")
    return open_ended if open_ended != open_ended.rstrip() or not open_ended else words


def _bare(kind: Kind, text: str) -> str:
    """The text without its item marker."""
    found = _ITEM.match(text) if kind == "item" else None
    return text[found.end() :] if found else text


@dataclass(slots=True)
class _Piece:
    """A block being read; `fence` is the marker of fenced code that is still open."""

    kind: Kind
    lead: str
    lines: list[str] = field(default_factory=list)
    fence: str = ""
    whole: bool = False

    def take(self, line: str) -> None:
        self.lines.append(line)
        mark = _BLOCK_FENCE.match(line)
        if self.fence:
            closes = mark is not None and mark[1].startswith(self.fence) and not line.strip().strip(self.fence[0])
            self.fence, self.whole = ("", self.kind == "text") if closes else (self.fence, False)
        elif mark:
            self.fence = mark[1]

    def goes_on(self, line: str, gap: str) -> bool:
        """Whether a non-blank line belongs to this block, given the blank lines between."""
        if self.fence:
            return True
        if self.kind == "item" and line.startswith(_BELOW):
            return True
        return not gap and not self.whole and self.kind != "heading" and _kind(line) == "text" and not _begins(line)


def _pieces(text: str) -> Iterator[tuple[Kind, str, str]]:
    piece: _Piece | None = None
    gap = ""
    for line in _LINE.findall(text):
        if not line.strip() and not (piece and piece.fence):
            gap += line
            continue
        if piece and piece.goes_on(line, gap):
            piece.lines.append(gap)
        else:
            if piece:
                yield piece.kind, piece.lead, "".join(piece.lines)
            piece = _Piece(_kind(line), gap)
        gap = ""
        piece.take(line)
    if piece:
        yield piece.kind, piece.lead, "".join(piece.lines)


def _kind(line: str) -> Kind:
    bare = line.rstrip()
    if _HEADING.match(bare):
        return "heading"
    return "item" if _ITEM.match(bare) and not _RULE.fullmatch(bare) else "text"


def _begins(line: str) -> bool:
    """Whether a line starts a new text block, whatever precedes it."""
    return bool(_BLOCK_FENCE.match(line))
