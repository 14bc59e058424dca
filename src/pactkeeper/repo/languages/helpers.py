"""What a test asserts through functions of its own file: which of them it calls, and a digest of their content.

A test's body hash covers only its body. A function that it calls may assert on its behalf, and if that function
changes, the test promises something else although its own body is unchanged.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

VERSION: Final = "h1"
DIGITS: Final = 20
Span = tuple[int, int]  # the first byte, and the one after the last


@dataclass(frozen=True, slots=True)
class Helper:
    """A non-test function of a file: the name it is called by, and the bytes of its declaration."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class Mentions:
    """Where a file calls something by name and where it asserts, both in byte order."""

    calls: Sequence[tuple[int, str]]
    assertions: Sequence[int]

    def called(self, span: Span) -> set[str]:
        """Return the names called within a span."""
        calls = self.calls
        return {name for _, name in calls[bisect_left(calls, (span[0],)) : bisect_left(calls, (span[1],))]}

    def asserts(self, span: Span) -> bool:
        """Whether anything is asserted within a span."""
        at = bisect_left(self.assertions, span[0])
        return at < len(self.assertions) and self.assertions[at] < span[1]


def search_names(source: bytes, names: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield where one of these names occurs as a called word, in byte order; the tree decides what it is."""
    words = "|".join(re.escape(one) for one in sorted(names))
    if words:
        for hit in re.compile(rf"(?<![\w$])(?:{words})(?=\s*\()".encode()).finditer(source):
            yield hit.start(), hit[0].decode()


def digests(
    tests: Sequence[Span], helpers: Iterable[Helper], mentions: Mentions, hash_of: Callable[[Span], str]
) -> list[str]:
    """Return, for each test, the digest of the asserting helpers it reaches; empty if it reaches none.

    Functions with the same name are combined, because which one is meant is only known at run time.
    """
    named: defaultdict[str, list[Helper]] = defaultdict(list)
    for helper in helpers:
        named[helper.name].append(helper)
    hashes: dict[Span, str] = {}
    for helper in (one for same in named.values() for one in same if mentions.asserts(one.span)):
        hashes[helper.span] = hash_of(helper.span)
    if not hashes:
        return [""] * len(tests)
    return [_digest(_reached(test, named, mentions), hashes) for test in tests]


def _reached(test: Span, named: Mapping[str, Sequence[Helper]], mentions: Mentions) -> set[Helper]:
    """Return the helpers that a test calls, directly or through other helpers."""
    found: set[Helper] = set()
    todo = [test]
    while todo:
        new = {one for name in mentions.called(todo.pop()) for one in named.get(name, ())} - found
        found |= new
        todo += [one.span for one in new]
    return {one for one in found if not (test[0] <= one.span[0] and one.span[1] <= test[1])}


def _digest(reached: Iterable[Helper], hashes: Mapping[Span, str]) -> str:
    said = "\n".join(sorted(f"{one.name} {hashes[one.span]}" for one in reached if one.span in hashes))
    return f"{VERSION}:{sha256(said.encode()).hexdigest()[:DIGITS]}" if said else ""
