"""The items of a plan and the recommendations of an analysis, as they stand in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pactkeeper.speech.clash import begins, has_phrase
from pactkeeper.speech.spans import heading

_FENCE: Final = re.compile(r"\s{0,3}(?:```|~~~)")
_BOLD: Final = re.compile(r"\s{0,3}\*\*([^*]++)\*\*:?\s*+$")
_ITEM: Final = re.compile(r"( *)(?:(\d{1,3})[.)]|[-*+])\s+(?:\[([ xX])\]\s+)?(\S.*)$")
_STEP: Final = re.compile(r"\s+\d+\s*[:.–—-]\s*(.+)$")
_INDENT: Final = 3
TITLE: Final = 120
_LINK: Final = re.compile(r"!?\[([^\]]{0,300})\]\([^)]{0,1000}\)")


@dataclass(frozen=True, slots=True)
class ListItem:
    """One item: its title without marks of layout, its whole text word for word, and whether it is ticked."""

    title: str
    text: str
    done: bool = False


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    heading: str
    item: re.Match[str] | None


def steps(text: str) -> tuple[ListItem, ...]:
    """The steps of a plan: numbered items and boxes outside of risks and the like, else headings such as Step 1."""
    found = tuple(one for heading, one, counted in _items(text) if counted and not has_phrase("asides", heading))
    return found or tuple(_headed(text))


def recommendations(text: str) -> tuple[ListItem, ...]:
    """Items of any kind below a heading or a leading line that says they are recommended."""
    return tuple(one for heading, one, _ in _items(text) if has_phrase("wanted", heading))


def reasoning(text: str) -> int:
    """How many characters of a text are neither items nor headings."""
    items = sum(len(one.text) for _, one, _ in _items(text))
    headings = sum(len(line.text) for line in _lines(text) if line.heading)
    return max(0, len(text.strip()) - items - headings)


def _items(text: str) -> Iterator[tuple[str, ListItem, bool]]:
    """Each item with the heading it stands under, and whether it is numbered or has a box."""
    heading, current, counted, done, blank = "", list[str](), False, False, False
    for line in (*_lines(text), _Line("", "\0", None)):
        goes_on = bool(current) and line.item is None and not line.heading and (line.text[:2] == "  " or not blank)
        if goes_on and line.text.strip():
            current.append(line.text)
        elif line.text.strip() or line.heading:
            if current:
                yield heading, _item(current, done=done), counted
            current = []
            if line.item:
                current, done = [line.text], (line.item[3] or " ") in "xX"
                counted = line.item[2] is not None or line.item[3] is not None
            else:
                heading = line.heading or (line.text if line.text.rstrip().endswith(":") else heading)
        blank = not line.text.strip()


def _lines(text: str) -> Iterator[_Line]:
    """Every line; one inside of a fence is neither a heading nor an item."""
    fenced = False
    for line in text.splitlines():
        edge = _FENCE.match(line) is not None
        fenced = fenced != edge
        head = "" if fenced or edge else _head(line)
        item = None if fenced or edge or head else _ITEM.match(line)
        yield _Line(line, head, item if item and len(item[1]) < _INDENT else None)


def _head(line: str) -> str:
    found, bold = heading(line), _BOLD.match(line)
    return found.words if found else bold[1] if bold else ""


def _item(lines: list[str], *, done: bool) -> ListItem:
    found = _ITEM.match(lines[0])
    assert found is not None  # noqa: S101 - an item begins with such a line
    return ListItem(_title(found[4]), "\n".join(lines).strip(), done)


def _headed(text: str) -> Iterator[ListItem]:
    for line in _lines(text):
        named = begins("steps", line.heading)
        found = named and _STEP.match(line.heading, named.end())
        if found:
            yield ListItem(_title(found[1]), line.text.strip())


def _title(text: str) -> str:
    """The first clause of an item, without links, bold and code marks."""
    bare = _LINK.sub(r"\1", text).replace("**", "").replace("`", "").strip()
    first = re.split(r"(?<=\w)[.;](?=\s|$)| — | – |: ", bare, maxsplit=1)[0].strip()
    return (first or bare)[:TITLE].rstrip(" .,;:")
