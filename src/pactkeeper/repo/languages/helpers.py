"""What a test asserts through functions of its own file: which of them it calls, and a digest of what they say.

A test's body hash is about its body alone. A function that it calls by name may assert on its behalf, and where that
changes, the test promises something else while its own body stays as it was.
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
Span = tuple[int, int]  # the first byte and the one behind the last


@dataclass(frozen=True, slots=True)
class Helper:
    """A function of a file that is no test, by the name it is called by, and the bytes of its declaration."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class Mentions:
    """Where a file calls something by a name, and where it asserts; both in the order of their bytes."""

    calls: Sequence[tuple[int, str]]
    assertions: Sequence[int]

    def called(self, span: Span) -> set[str]:
        """The names that are called within a span."""
        calls = self.calls
        return {name for _, name in calls[bisect_left(calls, (span[0],)) : bisect_left(calls, (span[1],))]}

    def asserts(self, span: Span) -> bool:
        """Whether anything is asserted within a span."""
        at = bisect_left(self.assertions, span[0])
        return at < len(self.assertions) and self.assertions[at] < span[1]


def search_names(source: bytes, names: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Where one of these names stands as a word, in the order of the bytes; what it is there, the tree says."""
    words = "|".join(re.escape(one) for one in sorted(names))
    if words:
        for hit in re.compile(rf"(?<![\w$])(?:{words})(?=\s*\()".encode()).finditer(source):
            yield hit.start(), hit[0].decode()


def digests(
    tests: Sequence[Span], helpers: Iterable[Helper], mentions: Mentions, hash_of: Callable[[Span], str]
) -> list[str]:
    """For each test the digest of the asserting helpers that it reaches; empty where it reaches none.

    Functions of one name count together: which of them is meant is known only when they run.
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
    """The helpers that a test calls, and those that these call."""
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
