"""The items of a plan and the recommendations of an analysis, with their text unchanged."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pactkeeper.speech.clash import begins, has_phrase
from pactkeeper.speech.layout import LayoutItem, sections

_STEP: Final = re.compile(r"\s+\d+\s*[:.–—-]\s*(.+)$")
TITLE: Final = 120
_LINK: Final = re.compile(r"!?\[([^\]]{0,300})\]\([^)]{0,1000}\)")


@dataclass(frozen=True, slots=True)
class ListItem:
    """One item: its title without markup, its whole text verbatim, and whether it is ticked."""

    title: str
    text: str
    done: bool = False


def steps(text: str) -> tuple[ListItem, ...]:
    """The steps of a plan: numbered items and boxes outside risks and other asides, else headings such as Step 1."""
    counted = (one for one in _items(text) if one.line.number or one.line.box)
    return tuple(_item(text, one) for one in counted if not has_phrase("asides", one.over)) or tuple(_headed(text))


def recommendations(text: str) -> tuple[ListItem, ...]:
    """Items of any kind below a heading or a lead line that recommends them."""
    return tuple(_item(text, one) for one in _items(text) if has_phrase("wanted", one.over))


def reasoning(text: str) -> int:
    """The number of characters in a text outside items and headings."""
    items = sum(len(_item(text, one).text) for one in _items(text))
    return max(0, len(text.strip()) - items - sum(len(one.title) for one in sections(text)))


def _items(text: str) -> Iterator[LayoutItem]:
    return (one for section in sections(text) for one in section.items)


def _item(text: str, found: LayoutItem) -> ListItem:
    return ListItem(_title(found.line.text), text[found.first : found.last].strip(), found.line.box == "x")


def _headed(text: str) -> Iterator[ListItem]:
    for section in sections(text):
        named = begins("steps", section.title)
        found = named and _STEP.match(section.title, named.end())
        if found:
            yield ListItem(_title(found[1]), text[section.first : section.own_last].partition("\n")[0].strip())


def _title(text: str) -> str:
    """The first clause of an item, without links, bold and code markup."""
    bare = _LINK.sub(r"\1", text).replace("**", "").replace("`", "").strip()
    first = re.split(r"(?<=\w)[.;](?=\s|$)| — | – |: ", bare, maxsplit=1)[0].strip()
    return (first or bare)[:TITLE].rstrip(" .,;:")
