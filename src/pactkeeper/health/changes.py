"""What changed between two commits, as words: a name that went is the likeliest reason for errors that speak of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

_WORD: Final = re.compile(r"[A-Za-z_]\w*|\b\d{2,5}\b")  # names, and numbers that may be ports
_PATH: Final = re.compile(r"(?:---|\+\+\+) [ab]/(.*?)\t?\Z")
_LONGEST: Final = 1_000  # characters of a line; a longer one was written by a machine
MOST_FILES: Final = 400  # of which the words are looked at
_MOST_LINES: Final = 4_000  # that changed in one file; more were written by a machine


@dataclass(frozen=True, slots=True)
class Changed:
    """The words of the lines that a change of one file took out, and of those that it put in."""

    before: frozenset[str] = frozenset()
    after: frozenset[str] = frozenset()

    @property
    def gone(self) -> frozenset[str]:
        """Words that stood on lines which changed, and stand on none that came."""
        return self.before - self.after

    @property
    def new(self) -> frozenset[str]:
        """Words that came."""
        return self.after - self.before


def words_of(text: str) -> frozenset[str]:
    """The words of a text as changes have them."""
    return frozenset(_WORD.findall(text))


def read_counts(printed: str) -> Mapping[str, int]:
    """How many lines changed by path, from `git diff --numstat -z` without renames; 0 for a binary file."""
    found = {}
    for entry in printed.split("\0"):
        added, _, rest = entry.partition("\t")
        removed, _, path = rest.partition("\t")
        if path:
            found[path] = sum(int(count) for count in (added, removed) if count.isdigit())
    return found


def worth_reading(counts: Mapping[str, int]) -> tuple[str, ...]:
    """The files of which a person may have written the change, the smallest changes first, at most `MOST_FILES`."""
    some = [path for path, count in counts.items() if 0 < count <= _MOST_LINES]
    return tuple(sorted(some, key=lambda path: (counts[path], path))[:MOST_FILES])


def read_diff(diff: str) -> Mapping[str, Changed]:
    """Read a diff in git's form without context, with the prefixes a/ and b/; a path that git has to quote is left out.

    A binary file is left out as well, and so is one of which only the mode changed.
    """
    before: dict[str, set[str]] = {}
    after: dict[str, set[str]] = {}
    for path, sign, line in _lines(diff):
        (before if sign == "-" else after).setdefault(path, set()).update(_WORD.findall(line[:_LONGEST]))
    return {
        path: Changed(frozenset(before.get(path, ())), frozenset(after.get(path, ())))
        for path in sorted({*before, *after})
    }


def _lines(diff: str) -> Iterator[tuple[str, str, str]]:
    """The changed lines of every file with its path and their sign."""
    path, heading = "", True
    for line in diff.split("\n"):
        if line.startswith("diff --git "):
            path, heading = "", True
        elif line.startswith("@@ "):
            heading = False
        elif heading:
            found = _PATH.match(line)
            path = found[1] if found else path
        elif path and line[:1] in {"-", "+"}:
            yield path, line[0], line[1:]
