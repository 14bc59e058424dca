"""Sentences of a text by character, without those inside fences of code, folded away or quoted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_FENCED: Final = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[^\n]*$|\Z)", re.DOTALL | re.MULTILINE)
_FOLDED: Final = re.compile(r"<details\b.*?(?:</details>|\Z)", re.DOTALL | re.IGNORECASE)
LONGEST_TYPED: Final = 2000  # characters of what somebody types; longer texts are pasted
_SENTENCE: Final = re.compile(r"[^\s].*?(?:(?:[!?…]|(?<!\b\d)(?<!\b\d\d)\.)(?=\s|$|[\"')”])|$)", re.MULTILINE)
# Quoted lines, and those that were pasted: rows of tables, prompts of shells, code by its indentation.
_QUOTED: Final = re.compile(r"\s*[>|]|\s*\$ |(?: {4}|\t)(?!\s*(?:[-*+]|\d{1,3}[.)])\s)")
_MARKS: Final = re.compile(r"[\"“„«]")
# Four words or more; what is shorter is a name.
_QUOTATION: Final = re.compile(r"[\"“„«](?:[^\s\"“”„«»]+\s+){3}[^\s\"“”„«»][^\"“”„«»]*[\"“”»]")
_LEAD: Final = re.compile(r"(?:[-*+]|\d{1,3}[.)]|#{1,6})\s+")


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """The first and last character of every sentence, each within one line; marks of lists and headings left out."""
    fences = [found.span() for found in _FENCED.finditer(text)] if "```" in text or "~~~" in text else []
    fences += [found.span() for found in _FOLDED.finditer(text)] if "<" in text else []
    for found in _SENTENCE.finditer(text):
        first, last = found.span()
        if any(start <= first < end for start, end in fences) or _QUOTED.match(_line(text, first)):
            continue
        lead = _LEAD.match(text, first, last)
        yield (lead.end() if lead else first), last


def unquoted(text: str) -> str:
    """The text with every longer quotation blanked out, character for character: what stands there, others said."""
    return _QUOTATION.sub(lambda found: " " * len(found[0]), text) if _MARKS.search(text) else text


def _line(text: str, at: int) -> str:
    return text[text.rfind("\n", 0, at) + 1 : at + 6]
