"""What changed between two commits, as words: a name that went is the likeliest reason for errors that speak of it."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

_WORD: Final = re.compile(r"[A-Za-z_]\w*|\b\d{2,5}\b")  # names, and numbers that may be ports
# A mark with a space behind it: `#include` and `*pointer` are code.
_COMMENT: Final = re.compile(r"(?:\A|\s)(?:#|//)(?:[\s!/].*|\Z)|\A\s*(?:/\*.*|\*(?:[\s/].*|\Z))")
_PROSE: Final = frozenset({".md", ".rst", ".txt", ".adoc"})  # in which nothing runs
_DOCUMENTED: Final = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_HUNK: Final = re.compile(r"@@ -\d{1,9}(?:,\d{1,9})? \+(\d{1,9})")
_PATH: Final = re.compile(r"(?:---|\+\+\+) [ab]/(.*?)\t?\Z")
_LONGEST: Final = 1_000  # characters of a line; a longer one was written by a machine
MOST_FILES: Final = 400  # of which the words are looked at
_MOST_LINES: Final = 4_000  # that changed in one file; more were written by a machine


@dataclass(frozen=True, slots=True)
class Changed:
    """The words of the code that a change of one file took out and put in, and the lines on which it is new."""

    before: frozenset[str] = frozenset()
    after: frozenset[str] = frozenset()
    lines: frozenset[int] = frozenset()

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


def run_of(changes: Mapping[str, Changed]) -> Mapping[str, Changed]:
    """The changes of files in which something may run."""
    return {path: one for path, one in changes.items() if PurePosixPath(path).suffix not in _PROSE}


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


def read_diff(diff: str, read: Callable[[str], bytes | None] = lambda _: None) -> Mapping[str, Changed]:
    """Read a diff in git's form without context, with the prefixes a/ and b/; a path that git has to quote is left out.

    A binary file is left out as well, and so is one of which only the mode changed. Comments say nothing, and neither
    do docstrings that came, for which `read` gives what a file holds now.
    """
    before: dict[str, set[str]] = {}
    after: dict[str, dict[int, str]] = {}
    for path, sign, number, line in _lines(diff):
        code = line if PurePosixPath(path).suffix in _PROSE else _COMMENT.sub("", line[:_LONGEST]).strip()
        gone, came = before.setdefault(path, set()), after.setdefault(path, {})
        if sign == "-":
            gone.add(code)
        elif code:
            came[number] = code
    return {path: _changed(before[path], after[path], _docstrings(path, read)) for path in sorted(before)}


def _changed(gone: set[str], came: Mapping[int, str], silent: Collection[int]) -> Changed:
    lines = {number: code for number, code in came.items() if number not in silent}
    words = words_of("\n".join(gone)), words_of("\n".join(lines.values()))
    return Changed(*words, frozenset(number for number, code in lines.items() if code not in gone))


def _docstrings(path: str, read: Callable[[str], bytes | None]) -> frozenset[int]:
    """The lines of the docstrings of a file in Python that parses."""
    try:
        tree = ast.parse((read(path) or b"") if path.endswith(".py") else b"")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()
    owners = (one for one in ast.walk(tree) if isinstance(one, _DOCUMENTED) and ast.get_docstring(one, clean=False))
    return frozenset(at for one in owners for at in range(one.body[0].lineno, (one.body[0].end_lineno or 0) + 1))


def _lines(diff: str) -> Iterator[tuple[str, str, int, str]]:
    """The changed lines of every file with its path and their sign; those that came have their number."""
    path, heading, number = "", True, 0
    for line in diff.split("\n"):
        if line.startswith("diff --git "):
            path, heading = "", True
        elif line.startswith("@@ "):
            hunk = _HUNK.match(line)
            heading, number = False, int(hunk[1]) if hunk else 0
        elif heading:
            found = _PATH.match(line)
            path = found[1] if found else path
        elif path and line[:1] in {"-", "+"}:
            yield path, line[0], number, line[1:]
            number += line[0] == "+"
