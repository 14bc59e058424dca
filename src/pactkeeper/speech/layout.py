"""The layout of a text: sections under headings, with their lists and tables, by character offset."""

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
_INDENT: Final = 3  # spaces from which an item belongs to the one above
_FURTHER: Final = 2  # spaces from which a line after a blank one belongs to an item


@dataclass(slots=True)
class LayoutItem:
    """A top-level list item: `[first, last)` with all lines that belong to it.

    `over` is the heading above it, or the bold line or line with a colon that introduces it.
    """

    line: TextLine
    over: str
    first: int
    last: int = 0


@dataclass(slots=True)
class LayoutSection:
    """Text under one heading: without deeper headings `first` to `own_last`, with them up to `last`.

    A text without headings is one section of level 0, titled by the line that introduces its first list. `lead` is that
    line in a section with a heading, if it ends in a colon.
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
        """How many of its items are numbered consecutively."""
        number = 0
        for one in self.items:
            number += one.line.number == number + 1
        return number

    @property
    def boxes(self) -> int:
        """The number of items with a checkbox."""
        return sum(bool(one.line.box) for one in self.items)

    @property
    def led(self) -> int:
        """The number of items that start with a name."""
        return sum(_LED.match(one.line.text) is not None for one in self.items)

    def take(self, line: TextLine, first: int, previous: str, *, is_apart: bool) -> None:
        """Add a line, which starts at `first` and follows the `previous` non-blank line.

        A line is apart if a blank line precedes it; then it belongs to an item only if indented.
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
        """End the last item here."""
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
    """Return every section of a text in order; text before the first heading is a section of level 0."""
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
    """Set where each section ends, alone and with deeper ones; text before the first heading ends at it."""
    next_first = [length] * (_DEEPEST + 1)  # by level, the start of the next section of that level or above
    own_last = length
    for one in reversed(found):
        one.own_last = own_last
        one.last = next_first[one.level] if one.level else own_last
        own_last = one.first
        next_first[one.level :] = [one.first] * (_DEEPEST + 1 - one.level)
