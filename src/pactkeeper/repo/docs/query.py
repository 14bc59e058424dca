"""What people and programs search for, as an FTS5 query: words are data, and nothing in them is syntax."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from pactkeeper.intent.concepts import STOP

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
