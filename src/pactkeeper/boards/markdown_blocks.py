"""Markdown as blocks for merging: headings, list items, and text.

Everything indented below an item belongs to it. Text is a paragraph, or fenced code whatever it contains. Joined, the
blocks are the input, byte for byte.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

Kind = Literal["heading", "item", "text"]
# A block's identity: its heading's words, its kind, its words, and its number among equal ones.
Name = tuple[str, Kind, str, int]

_LINE: Final = re.compile(r"[^\n]*\n|[^\n]+")
_FENCE: Final = re.compile(r"[ \t]*(```+|~~~+)")
_HEADING: Final = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")
_ITEM: Final = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]+(?:\[([ xX])\](?=[ \t]))?[ \t]*|$)")
_RULE: Final = re.compile(r" {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}")
_BELOW: Final = ("  ", "\t")


@dataclass(frozen=True, slots=True)
class Block:
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


def named(blocks: tuple[Block, ...]) -> Mapping[Name, Block]:
    """Blocks by identity, in order."""
    seen: dict[tuple[str, Kind, str], int] = {}
    found: dict[Name, Block] = {}
    for one in blocks:
        alike = (one.section, one.kind, one.words)
        seen[alike] = seen.get(alike, 0) + 1
        found[*alike, seen[alike]] = one
    return found


def blocks_of(text: str) -> tuple[Block, ...]:
    """Parse a text that ends with a newline and neither starts nor ends with a blank line."""
    found: list[Block] = []
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
            Block(
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
        mark = _FENCE.match(line)
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
    return bool(_FENCE.match(line))
