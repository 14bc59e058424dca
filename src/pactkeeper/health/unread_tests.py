"""Tests in languages that no adapter reads: a fix may add to them only what can't remove anything.

That is whole tests, table rows below other rows, and assertions at the end of a test that call nothing new. Anything
else needs a person's judgement.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
_KNOWN: Final = frozenset({"if", "t", "Error", "Errorf", "Fatal", "Fatalf", "true", "false", "nil", "null", "None"})
_NAME: Final = re.compile(r"\b[A-Za-z_]\w*+")
_STRING: Final = re.compile(r"\"(?:[^\"\\]|\\.)*+\"")
_ROW: Final = re.compile(r"((?:\w++\.?)*+[({]).*[)}],\Z")
_ASSERTION: Final = re.compile(
    r"(?:\w++\.){0,3}?assert\w*+[!.]?\w*+\(|require\.\w++\(|t\.(?:Error|Fatal)f?\(", re.IGNORECASE
)
_HIDING: Final = ("/*", "*/", "`", '"""')  # may reach beyond the added lines
_LONGEST: Final = 5_000  # lines; longer files need a person's judgement


def only_adds_tests(path: str, old: str, new: str) -> bool:
    """Whether a change to a file leaves its tests as they are, apart from additions.

    Files that an adapter reads, and files without tests, are not considered.
    """
    one, two = _lines(_tests_of(path, old)), _lines(_tests_of(path, new))
    if one == two or not one:
        return True
    if max(len(one), len(two)) > _LONGEST:
        return False
    steps = SequenceMatcher(None, one, two, autojunk=False).get_opcodes()
    added = _together(two, [(begin, end) for step, _, _, begin, end in steps if step == "insert"])
    kept = all(step in {"equal", "insert"} for step, *_ in steps)
    return kept and all(_only_adds(one, two, *each) for each in added)


def _only_adds(one: Sequence[str], two: Sequence[str], begin: int, end: int) -> bool:
    """Whether added lines can be read as whole tests or as more assertions of one."""
    readings = _readings(two, begin, end)
    return any(_are_whole(two[first:last]) or _ask_more(two, first, last, one) for first, last in readings)


def language_of(path: str) -> str:
    """Return the display name of the language of a source file."""
    return _CODE.get(path.rpartition(".")[2], "this language")


def is_unread_test(path: str) -> bool:
    """Whether a test file is in a language that no adapter reads."""
    return is_test_side(path) and owner(path) is None and path.rpartition(".")[2] in _CODE


def _tests_of(path: str, text: str) -> str:
    """Return the part of a file that holds tests: all of it, or the inline test module at the end of a Rust file."""
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


def _together(lines: Sequence[str], added: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Merge additions that adjoin once shifted over equal surrounding lines."""
    found: list[tuple[int, int]] = []
    for first, last in added:
        begin, end, before = first, last, found[-1][1] if found else 0
        while begin > before and lines[begin - 1] == lines[end - 1]:
            begin, end = begin - 1, end - 1
        found.append((found.pop()[0], end) if found and begin == before else (first, last))
    return found


def _readings(lines: Sequence[str], begin: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield every equivalent (begin, end) of an addition, shifting it over equal surrounding lines."""
    while begin and lines[begin - 1] == lines[end - 1]:
        begin, end = begin - 1, end - 1
    yield begin, end
    while end < len(lines) and lines[begin] == lines[end]:
        begin, end = begin + 1, end + 1
        yield begin, end


def _words(lines: Iterable[str]) -> frozenset[str]:
    """Return the names used in lines of code, without those of assertions and those assigned there."""
    code = [_STRING.sub('""', line) for line in lines]
    given = {word for line in code if ":=" in line for word in _NAME.findall(line.partition(":=")[0])}
    names = (word for line in code for word in _NAME.findall(line))
    return frozenset(word for word in names if not word.lower().startswith("assert")) - given - _KNOWN


def _ask_more(lines: Sequence[str], begin: int, end: int, old: Sequence[str]) -> bool:
    """Whether added lines are similar table rows, or closing assertions of a block, using only names in `old`.

    A string in a row must not appear outside similar rows: it could be listed as an exception there.
    """
    added = lines[begin:end]
    if _hides(added) or not _words(added) <= _words(old):
        return False
    head = _head(lines[begin - 1]) if begin else ""
    if head and all(_head(line) == head for line in added):
        texts = {text for line in added for text in _STRING.findall(line)}
        return not any(text in line for line in old if _head(line) != head for text in texts)
    return lines[end : end + 1] == ["}"] and all(map(_asserts, _joined(added)))


def _head(line: str) -> str:
    """Return how a table row begins, up to its first bracket, and its number of parts; empty for any other line."""
    code = _STRING.sub('""', line)
    hit = _ROW.match(code)
    return f"{hit[1]}{code.count(',')}" if hit and ";" not in code and _is_balanced(code) else ""


def _joined(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines, with Go's form of an assertion, a condition around a call of `t`, as one."""
    rest = list(lines)
    while rest:
        block = len(rest) > 2 and rest[0].startswith("if ") and rest[0].endswith("{") and rest[2] == "}"  # noqa: PLR2004
        yield rest[1] if block and _is_balanced(_STRING.sub('""', rest[0][:-1])) else rest[0]
        del rest[: 3 if block else 1]


def _asserts(line: str) -> bool:
    code = _STRING.sub('""', line).removesuffix(";")
    return (
        _ASSERTION.match(code) is not None and code.endswith(")") and _is_balanced(code) and not set("{};") & set(code)
    )


def _is_balanced(code: str) -> bool:
    return all(code.count(one) == code.count(two) for one, two in ("()", "[]", "{}"))


def _are_whole(lines: Sequence[str]) -> bool:
    """Whether the lines are complete test declarations, from the first line to the last closing bracket."""
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
