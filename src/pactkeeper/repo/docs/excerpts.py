"""The part of a section that is shown for a search: whole lines around what matches, on one line.

What people and programs search for, as an FTS5 query: words are data, and nothing in them is syntax.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from pactkeeper.intent.concepts import STOP

START, END = "\x02", "\x03"  # around every match
_LENGTH: Final = 260  # characters
_BEFORE: Final = 60  # characters that are kept before the first match of a long line
_MATCH: Final = re.compile(f"{START}([^{START}{END}]*+){END}")
_MARKS: Final = re.compile(f"[{START}{END}]")
_LEADING: Final = re.compile(r"^[\s#>*=~^\-]+|^\.\.\s")


def excerpt_of(marked: str) -> str:
    """The stretch of lines from a match on that holds the most different ones, the first of several such."""
    lines = [line for line in marked.splitlines() if _MARKS.sub("", line).strip()]
    starts = [at for at, line in enumerate(lines) if START in line]
    start = max(starts, key=lambda at: (len(matches("\n".join(_stretch(lines, at)))), -at), default=0)
    while start and len(_stretch(lines, start - 1)) == len(lines) - start + 1:
        start -= 1  # there is room for lines before, as the text ends here
    stretch = _stretch(lines, start)
    text = _LEADING.sub("", " ".join(" ".join(stretch).split()))
    first = max(text.find(START), 0)
    skipped = text.rfind(" ", 0, first - _BEFORE) + 1 if first > _LENGTH - _BEFORE else 0
    shown = _MARKS.sub("", text[skipped:])
    before = "… " if start or skipped else ""
    cut = len(lines) > start + len(stretch) or len(shown) > _LENGTH
    return f"{before}{shown[:_LENGTH].rstrip()}{' …' if cut else ''}"


def _stretch(lines: Sequence[str], start: int) -> Sequence[str]:
    """As many lines from `start` on as fit an excerpt, at least one."""
    size, end = 0, start
    while end < len(lines) and (end == start or size + len(lines[end]) <= _LENGTH):
        size += len(lines[end]) + 1
        end += 1
    return lines[start:end]


def matches(marked: str) -> frozenset[str]:
    """The different terms that match, as the text has them; forms of one word count as several."""
    return frozenset(term_of(found) for found in _MATCH.findall(marked))


_WORD: Final = re.compile(r"[^\W_]+")


def searchable(words: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The terms to look for and the words that are dropped: stop words, and what has neither letter nor digit.

    A term is one word or, where it was written in one piece (`retry_times`), several that stand next to each other.
    """
    kept: dict[str, None] = {}
    dropped: dict[str, None] = {}
    for written in (piece for word in words for piece in word.split()):
        term = term_of(written)
        if not term or term in STOP:
            dropped[written] = None
        else:
            kept[term] = None
    return tuple(kept), tuple(dropped)


def term_of(written: str) -> str:
    """The words of a text in lower case, without what stands between them."""
    return " ".join(_WORD.findall(written)).lower()


def every(terms: Sequence[str]) -> str:
    """A query for sections that hold all terms."""
    return " AND ".join(map(_quoted, terms))


def some(terms: Sequence[str]) -> str:
    """A query for sections that hold any of the terms."""
    return " OR ".join(map(_quoted, terms))


def _quoted(term: str) -> str:
    return f'"{term}"'
