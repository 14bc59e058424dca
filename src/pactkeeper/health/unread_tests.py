"""Tests in a language that no adapter reads: a fix may add whole tests to them, and a person judges anything else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import takewhile
from typing import Final

from pactkeeper.repo.languages import owner
from pactkeeper.repo.test_side import is_test_side

_CODE: Final[Mapping[str, str]] = {
    "go": "Go",
    "rs": "Rust",
    "java": "Java",
    "kt": "Kotlin",
    "scala": "Scala",
    "groovy": "Groovy",
    "cs": "C#",
    "rb": "Ruby",
    "php": "PHP",
    "swift": "Swift",
    "ex": "Elixir",
    "exs": "Elixir",
    "dart": "Dart",
    "c": "C",
    "cc": "C++",
    "cpp": "C++",
}
_INLINE: Final = re.compile(r"^[ \t]*+#\[cfg\(test\)\]", re.MULTILINE)
_BEGINS: Final = re.compile(
    r"func Test\w*+\(|@(?:\w++\.)*+(?:Test|ParameterizedTest)\b|#\[(?:\w++::)*+test\b|#\[cfg\(test\)\]"
)
_OUTSIDE: Final = re.compile(r"(?:public |pub |async |static )*+(?:func Test\w*+\(|fn |void |fun |mod )|[@}]|#\[|//")
_HIDING: Final = ("/*", "*/", "`", '"""')  # what may reach beyond the lines that were added
_LONGEST: Final = 5_000  # lines; more of them are left to a person


def only_adds_tests(path: str, old: str, new: str) -> bool:
    """Whether a change of a file leaves its tests as they stand, whole tests that are added aside.

    Files that an adapter reads, and files without tests, are none of this function's business.
    """
    one, two = _lines(_tests_of(path, old)), _lines(_tests_of(path, new))
    if one == two or not one:
        return True
    if max(len(one), len(two)) > _LONGEST:
        return False
    steps = SequenceMatcher(None, one, two, autojunk=False).get_opcodes()
    added = [(begin, end) for step, _, _, begin, end in steps if step == "insert"]
    kept = all(step in {"equal", "insert"} for step, *_ in steps)
    return kept and all(any(map(_are_whole, _readings(two, begin, end))) for begin, end in added)


def language_of(path: str) -> str:
    """What people call the language of a file of code."""
    return _CODE.get(path.rpartition(".")[2], "this language")


def is_unread_test(path: str) -> bool:
    """Whether a file of tests is in a language that no adapter reads."""
    return is_test_side(path) and owner(path) is None and path.rpartition(".")[2] in _CODE


def _tests_of(path: str, text: str) -> str:
    """The part of a file that holds tests: all of it, or the end where Rust keeps them beside the product."""
    if is_unread_test(path):
        return text
    found = _INLINE.search(text) if path.endswith(".rs") else None
    if found is None:
        return ""
    above = text[: found.start()].splitlines(keepends=True)
    attributes = takewhile(lambda line: line.lstrip(" \t").startswith("#["), reversed(above))
    start = found.start() - sum(map(len, attributes))
    return text[start:]


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _readings(lines: Sequence[str], begin: int, end: int) -> Iterator[Sequence[str]]:
    """The added lines, wherever equal lines around them let the addition begin."""
    while begin and lines[begin - 1] == lines[end - 1]:
        begin, end = begin - 1, end - 1
    yield lines[begin:end]
    while end < len(lines) and lines[begin] == lines[end]:
        begin, end = begin + 1, end + 1
        yield lines[begin:end]


def _are_whole(lines: Sequence[str]) -> bool:
    """Whether lines are declarations of tests from their first line to the bracket that closes the last."""
    depth = 0
    for line in lines:
        if depth == 0 and _OUTSIDE.match(line) is None:
            return False
        depth += line.count("{") - line.count("}")
        if depth < 0 or (depth == 0 and "}" in line and (line.count("}") > 1 or not line.endswith("}"))):
            return False
    return not depth and lines[-1] == "}" and _BEGINS.match(lines[0]) is not None and not _hides(lines)


def _hides(lines: Sequence[str]) -> bool:
    return any(mark in line for line in lines for mark in _HIDING)
