"""Markdown as blocks that are merged one by one: headings, items of lists, and text.

All that is indented below an item is part of it. Text is a paragraph, or fenced code whatever stands in it. Together
the blocks are what was read, byte for byte.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

Kind = Literal["heading", "item", "text"]
# What a block is known by: its heading's words, its kind, its words, and which of those that are alike it is.
Name = tuple[str, Kind, str, int]

_LINE: Final = re.compile(r"[^\n]*\n|[^\n]+")
_FENCE: Final = re.compile(r"[ \t]*(```+|~~~+)")
_HEADING: Final = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")
_ITEM: Final = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]+(?:\[([ xX])\](?=[ \t]))?[ \t]*|$)")
_RULE: Final = re.compile(r" {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}")
_BELOW: Final = ("  ", "\t")


@dataclass(frozen=True, slots=True)
class Block:
    """One block: `lead` are the empty lines above it, `raw` its own lines with their ends; `level` is a heading's.

    `section` are the words of the heading that it stands under, `words` are its own without marks, `tick` is an item's.
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
        """All of it that a person could have changed, besides the mark of an item and blanks at the end of a line."""
        lines = [line.rstrip() for line in self.raw.split("\n")]
        lines[0] = _bare(self.kind, lines[0])
        return self.tick, "\n".join(lines).strip("\n")


def named(blocks: tuple[Block, ...]) -> Mapping[Name, Block]:
    """Blocks by what they are known by, in their order."""
    seen: dict[tuple[str, Kind, str], int] = {}
    found: dict[Name, Block] = {}
    for one in blocks:
        alike = (one.section, one.kind, one.words)
        seen[alike] = seen.get(alike, 0) + 1
        found[*alike, seen[alike]] = one
    return found


def blocks_of(text: str) -> tuple[Block, ...]:
    """Take a text apart that ends with a line's end and neither begins nor ends with an empty line."""
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
    """The words of a heading without the marks that may close it."""
    words = text.strip()
    open_ended = words.rstrip("#")
    return open_ended if open_ended != open_ended.rstrip() or not open_ended else words


def _bare(kind: Kind, text: str) -> str:
    """A text without what marks it as an item."""
    found = _ITEM.match(text) if kind == "item" else None
    return text[found.end() :] if found else text


@dataclass(slots=True)
class _Piece:
    """A block while its lines come in; `fence` is the mark of fenced code that is still open."""

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
        """Whether a line that is not empty belongs to this block, given the empty lines between."""
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
    """Whether a line begins a text of its own, whatever stands above it."""
    return bool(_FENCE.match(line))
