"""How a text is laid out: sections under headings, and the lists and tables in them, by character."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pactkeeper.speech.spans import heading

# A cheap look for anything that is laid out at all, before the lines are read one by one.
LAID_OUT: Final = re.compile(r"^[ \t]*(?:#{1,6}[ \t]|\d{1,3}[.)][ \t]|[-*+][ \t]|\|.*\||\*\*[^*\n]+\*\*)", re.MULTILINE)
_BOLD: Final = re.compile(r"\s*\*\*([^*]+)\*\*:?\s*$")
_NUMBERED: Final = re.compile(r"( *)(\d{1,3})[.)]\s+(\S.*)$")
_BULLET: Final = re.compile(r"( *)[-*+]\s+(\S.*)$")
_TABLE: Final = re.compile(r"\s*\|.*\|\s*$")
_RULE: Final = re.compile(r"\s*\|(?:\s*:?-{2,}:?\s*\|)+\s*$")
_CHECKBOX: Final = re.compile(r"\[[ xX]\]\s")
_LED: Final = re.compile(r"\*\*[^*]+\*\*\s*[:—–-]|\*\*[^*]+:\*\*|[\w /-]{2,40}:\s\S")
_STEP: Final = re.compile(r"(?i)^(?:step|phase|milestone|schritt|phase|meilenstein|étape|paso|fase|hito)\s+\d+\b")
_FENCE: Final = re.compile(r"\s{0,3}(?:```|~~~)")
_DEEPEST: Final = 6  # levels of headings
_INDENT: Final = 3  # spaces from which on an item belongs to the one above


@dataclass(slots=True)
class LayoutSection:
    """Text under one heading, without what stands under deeper ones: `first` to `own_last`; with them up to `last`.

    A text without headings is one section with the title of the line that leads to its first list, and level 0.
    `lead` is that line of a section with a heading, where it ends in a colon.
    """

    title: str
    level: int
    first: int
    last: int = 0
    own_last: int = 0
    numbered: int = 0
    bullets: int = 0
    led: int = 0
    boxes: int = 0
    rows: int = 0
    lead: str = ""

    @property
    def items(self) -> int:
        """List items of any kind on the outermost level."""
        return self.numbered + self.bullets


def sections(text: str) -> tuple[LayoutSection, ...]:
    """Every section of a text in order; what stands before the first heading is one of level 0."""
    found = [LayoutSection("", 0, 0)]
    fenced = False
    previous = ""
    for first, line in _lines(text):
        if _FENCE.match(line):
            fenced = not fenced
        elif not fenced:
            if head := heading(line):
                found.append(LayoutSection(head.words, head.level, first))
            else:
                _count(found[-1], line, previous)
        previous = line if line.strip() else previous
    _close(found, len(text))
    return tuple(one for one in found if one.own_last > one.first)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    at = 0
    for line in text.splitlines(keepends=True):
        yield at, line.rstrip("\r\n")
        at += len(line)


def _count(section: LayoutSection, line: str, previous: str) -> None:
    numbered = _NUMBERED.match(line)
    item = numbered or _BULLET.match(line)
    if item and len(item[1]) < _INDENT:
        if not section.items:
            section.lead = _lead(previous) if section.title and previous.rstrip(" *").endswith(":") else ""
            section.title = section.title or _lead(previous)
        said = item[item.lastindex or 0]
        in_order = numbered is not None and int(numbered[2]) == section.numbered + 1
        section.numbered += in_order
        section.bullets += not in_order
        section.led += bool(_LED.match(said))
        section.boxes += bool(_CHECKBOX.match(said))
    elif _TABLE.match(line) and not _RULE.match(line):
        if not section.rows and not section.items and not section.title:
            section.title = _lead(previous)
        section.rows += 1


def _lead(line: str) -> str:
    """The line that leads to a list, as a title."""
    bold = _BOLD.match(line)
    return (bold[1] if bold else line).strip().rstrip(":").strip("* ")[:200]


def _close(found: list[LayoutSection], length: int) -> None:
    """Say where each section ends: alone, and with the deeper ones below it; what stands first ends with itself."""
    next_first = [length] * (_DEEPEST + 1)  # by level, where the next section of that level or above begins
    own_last = length
    for one in reversed(found):
        one.own_last = own_last
        one.last = next_first[one.level] if one.level else own_last
        own_last = one.first
        next_first[one.level :] = [one.first] * (_DEEPEST + 1 - one.level)


def steps(section: LayoutSection, below: tuple[LayoutSection, ...]) -> int:
    """How many steps a section has: numbered items, boxes, or the sections below that are called Step 1, Phase 2."""
    named = sum(1 for one in below if _STEP.match(one.title))
    return max(section.numbered, section.boxes, named)


def trimmed(text: str, first: int, last: int) -> tuple[int, int]:
    """The same span without white space at its ends, and without a rule that separates it from the next."""
    shown = text[first:last].rstrip()
    while shown.endswith("---") and shown.rpartition("\n")[2].strip("- ") == "":
        shown = shown.rpartition("\n")[0].rstrip()
    start = first + len(shown) - len(shown.lstrip())
    return start, first + len(shown)
