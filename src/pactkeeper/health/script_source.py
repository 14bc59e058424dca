"""Whether a change to a JavaScript or TypeScript test file leaves what its tests check untouched, judged by its lines.

Only lines of three forms may be added: an `expect` that calls nothing new, and around tests an import of new names or
the frame of a `describe`. Whatever else differs is for a person to judge.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from pactkeeper.health.python_source import Lines

_EXPECT: Final = re.compile(r"expect\((?P<subject>[^;]*)\)\.(?:not\.)?to[A-Z]\w*\([^;]*\);?\Z")
_IMPORT: Final = re.compile(r"import (?:type )?\{(?P<names>[\w\s,]+)\} from (['\"])[^'\"]+\2;?\Z")
_FRAME: Final = re.compile(r"describe\((['\"])(?:(?!\1).)*\1, (?:\(\) =>|function \(\)) \{\Z|\}\);?\Z")
_CALL: Final = re.compile(r"([\w$.]+)\(")
_MATCHER: Final = re.compile(r"(?:not\.)?to[A-Z]\w*\Z|expect\Z")
_COMMENT: Final = re.compile(r"\s*(?://(?!\s*@)|/\*\*?(?!.*@(?:jest|vitest|ts)).*\*/\s*\Z)")


def same_or_more(before: str, after: str, *, old: Lines, new: Lines) -> bool:
    """Whether a test has all the lines that it had, in their order, and at most expects more."""
    kept, now = _lines(before, old), _lines(after, new)
    if any("`" in line for line in kept):  # a line inside a template is text, whatever it looks like
        return False
    called = {name for line in kept for name in _CALL.findall(line)}
    return _grew(kept, now, lambda line: _expects(line, called))


def surroundings_hold(before: str, after: str, *, old: Sequence[Lines], new: Sequence[Lines]) -> bool:
    """Whether every line outside of tests is there as it was; imports of new names and `describe` may be added."""
    names = set(re.findall(r"[\w$]+", before))
    kept, now = _outside(before, old), _outside(after, new)
    return _grew(kept, now, lambda line: _frames(line, names))


def _lines(text: str, place: Lines) -> list[str]:
    return [line.strip() for line in text.splitlines()[place.first - 1 : place.last] if _counts(line)]


def _counts(line: str) -> bool:
    return bool(line.strip()) and not _COMMENT.match(line)


def _outside(text: str, tests: Sequence[Lines]) -> list[str]:
    inside = {number for one in tests for number in range(one.first, one.last + 1)}
    lines = enumerate(text.splitlines(), start=1)
    return [line.strip() for number, line in lines if number not in inside and _counts(line)]


def _grew(before: Sequence[str], after: Sequence[str], may_come: Callable[[str], bool]) -> bool:
    left = list(before)
    for line in after:
        if left and line == left[0]:
            left.pop(0)
        elif not may_come(line):
            return False
    return not left


def _expects(line: str, called: set[str]) -> bool:
    found = _EXPECT.match(line)
    if found is None or "=>" in line or re.search(r"(?<![=!<>])=(?!=)|\+\+|--|\bawait\b", line):
        return False
    calls = [name.lstrip(".") for name in _CALL.findall(line)]
    return all(name in called or _MATCHER.match(name) for name in calls)


def _frames(line: str, names: set[str]) -> bool:
    found = _IMPORT.match(line)
    if found is None:
        return _FRAME.match(line) is not None
    brought = re.findall(r"[\w$]+", re.sub(r"\w+ as ", "", found["names"]))
    return not names.intersection(brought)
