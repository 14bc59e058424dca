"""How a text is laid out: sections under headings, with the lists and tables in them, by character."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from pactkeeper.speech.spans import TextLine, lines, whole_line

# A cheap look for anything that is laid out at all, before the lines are read one by one.
LAID_OUT: Final = re.compile(r"^[ \t]*(?:#{1,6}[ \t]|\d{1,3}[.)][ \t]|[-*+][ \t]|\|.*\||\*\*[^*\n]+\*\*)", re.MULTILINE)
_BOLD: Final = re.compile(r"\*\*([^*]++)\*\*:?")
_TABLE: Final = re.compile(r"\|.*\|")
_RULE: Final = re.compile(r"\|(?:\s*:?-{2,}:?\s*\|)+")
_LED: Final = re.compile(r"\*\*[^*]+\*\*\s*[:—–-]|\*\*[^*]+:\*\*|[\w /-]{2,40}:\s\S")
_DEEPEST: Final = 6  # levels of headings
_INDENT: Final = 3  # spaces from which on an item belongs to the one above
_FURTHER: Final = 2  # spaces from which on a line behind a blank one does


@dataclass(slots=True)
class LayoutItem:
    """An item of a list on the outermost level: `[first, last)` with all lines that belong to it.

    `over` is the heading that it stands under, or the bold line or the line with a colon that leads to it.
    """

    line: TextLine
    over: str
    first: int
    last: int = 0


@dataclass(slots=True)
class LayoutSection:
    """Text under one heading, without what stands under deeper ones: `first` to `own_last`; with them up to `last`.

    A text without headings is one section with the title of the line that leads to its first list, and level 0.
    `lead` is that line of a section with a heading, where it ends in a colon.
    """

    title: str
    level: int
    first: int
    over: str = ""
    last: int = 0
    own_last: int = 0
    rows: int = 0
    lead: str = ""
    items: list[LayoutItem] = field(default_factory=list)

    @property
    def numbered(self) -> int:
        """How far its items are numbered in order."""
        number = 0
        for one in self.items:
            number += one.line.number == number + 1
        return number

    @property
    def boxes(self) -> int:
        """The items that can be ticked."""
        return sum(bool(one.line.box) for one in self.items)

    @property
    def led(self) -> int:
        """The items that begin with a name."""
        return sum(_LED.match(one.line.text) is not None for one in self.items)

    def take(self, line: TextLine, first: int, previous: str, *, is_apart: bool) -> None:
        """Take one more line in, which begins at `first`, behind the `previous` one that says something.

        A line is apart behind a blank one; there it belongs to an item only further in.
        """
        bold = _BOLD.fullmatch(line.text) if line.kind == "text" else None
        is_item = line.kind == "item" and line.indent < _INDENT
        is_row = _TABLE.fullmatch(line.text) is not None and _RULE.fullmatch(line.text) is None
        if is_item or (is_row and not self.rows and not self.items):
            self._lead_to(previous)
        self.rows += is_row
        goes_on = not (is_item or bold or line.kind == "rule") and (line.indent >= _FURTHER or not is_apart)
        if goes_on and self.items and not self.items[-1].last:
            return
        self.end(first)
        if is_item:
            self.items.append(LayoutItem(line, self.over, first))
        elif bold or line.text.endswith(":"):
            self.over = bold[1] if bold else line.text

    def end(self, last: int) -> None:
        """Nothing from here on belongs to the last item."""
        if self.items and not self.items[-1].last:
            self.items[-1].last = last

    def _lead_to(self, previous: str) -> None:
        """Name a section by the line before its first list or table."""
        bold = _BOLD.fullmatch(previous)
        lead = (bold[1] if bold else previous).rstrip(":").strip("* ")[:200]
        if not self.items and self.title and previous.rstrip(" *").endswith(":"):
            self.lead = self.lead or lead
        self.title = self.title or ("" if self.items else lead)


def sections(text: str) -> tuple[LayoutSection, ...]:
    """Every section of a text in order; what stands before the first heading is one of level 0."""
    found = [LayoutSection("", 0, 0)]
    previous, is_apart = "", False
    for line in lines(text):
        first = whole_line(text, line).start
        if line.kind == "heading":
            found[-1].end(first)
            found.append(LayoutSection(line.text, line.level, first, line.text))
        elif line.kind != "blank":
            found[-1].take(line, first, previous, is_apart=is_apart)
        previous, is_apart = line.text or previous, line.kind == "blank"
    found[-1].end(len(text))
    _close(found, len(text))
    return tuple(one for one in found if one.own_last > one.first)


def _close(found: list[LayoutSection], length: int) -> None:
    """Say where each section ends: alone, and with the deeper ones below it; what stands first ends with itself."""
    next_first = [length] * (_DEEPEST + 1)  # by level, where the next section of that level or above begins
    own_last = length
    for one in reversed(found):
        one.own_last = own_last
        one.last = next_first[one.level] if one.level else own_last
        own_last = one.first
        next_first[one.level :] = [one.first] * (_DEEPEST + 1 - one.level)
