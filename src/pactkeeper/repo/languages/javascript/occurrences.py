"""Where names occur in a file's bytes: each is sought by itself, as compiling a pattern of them takes longer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pactkeeper.repo.languages.javascript.runners import GLOBALS

_INSIDE = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$.#")
_ENDS = re.compile(rb"(?![\w$])")
# these are in every search, and short: one pass for all is faster
_GLOBALS = re.compile(f"(?:{'|'.join(sorted(GLOBALS, key=len, reverse=True))})(?![\\w$])".encode())


def words(source: bytes, names: set[str]) -> Iterator[tuple[int, int]]:
    """The places of whole names, in order."""
    places: list[tuple[int, int]] = []
    if names >= GLOBALS:
        found = (match.span() for match in _GLOBALS.finditer(source))
        places += [place for place in found if not place[0] or source[place[0] - 1] not in _INSIDE]
        names = names - GLOBALS
    return _apart([*places, *followed(source, names, _ENDS)])


def followed(source: bytes, names: Iterable[str], how: re.Pattern[bytes]) -> Iterator[tuple[int, int]]:
    """The places where something that begins with one of the names stands, in order; `how` must match behind it."""
    places: list[tuple[int, int]] = []
    for name in names:
        word = name.encode()
        start = source.find(word)
        while start >= 0:
            end = start + len(word)
            if (not start or source[start - 1] not in _INSIDE) and how.match(source, end):
                places.append((start, end))
            start = source.find(word, start + 1)
    return _apart(places)


def _apart(places: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Places in order without those that begin inside another; of two at one place the longer one counts."""
    at = 0
    for start, end in sorted(places, key=lambda place: (place[0], -place[1])):
        if start >= at:
            yield start, end
            at = end
