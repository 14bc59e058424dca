"""The text grammar of `@atom` annotations, shared by comments, docstrings, markers and tags.

    annotation = "@atom" SPACE id { "," id } [ remark ]
    id         = PREFIX "-" WORD { "-" WORD }          WORD is digits and capital letters
    remark     = ( SPACE | ":" | "(" | ";" | "." ) anything          but no further id

An annotation must start its line, preceded only by the comment's leader, so a mention within a sentence doesn't count.
Anything else in an id's place is reported as malformed, as is an `@atom` without an id (as an empty word), so an
annotation that somebody wrote is never silently ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

_LINE = re.compile(r"@atom(?![\w-]|\.\w|@)")
_LEADER = re.compile(r"\s*+(?:#+[:!]?|/\*+!?|//+!?|<!--|\*(?!/))?\s*+")
_REMARK = re.compile(r"$|[ \t]|[:(;]|\.(?:\s|$)")
_WORD = re.compile(r"[ \t]*+([^\s,]*+)")
_COMMA = re.compile(r"[ \t]*+,[ \t]*+")
_QUOTED = re.compile(r"[A-Za-z]*+(\"\"\"|'''|\"|')")
MOST_IDS: Final = 200  # per annotation; nobody reviews a test of more behaviours


@dataclass(frozen=True, slots=True)
class Parsed:
    """The ids of one annotation in the order written, and the words in an id's place that aren't ids."""

    atoms: tuple[str, ...]
    malformed: tuple[str, ...] = ()


@cache
def id_pattern(prefix: str) -> re.Pattern[str]:
    """Return a pattern that matches one atom id with the project's prefix."""
    return re.compile(rf"{re.escape(prefix)}-[0-9A-Z]+(?:-[0-9A-Z]+)*(?![\w-])")


def parse_line(text: str, *, prefix: str = "IA") -> Parsed | None:
    """Parse one line without its comment leader; return None if it isn't an annotation."""
    text = text.strip()
    begins = _LINE.match(text)
    return _ids(text, begins.end(), id_pattern(prefix)) if begins else None


def _ids(text: str, at: int, pattern: re.Pattern[str]) -> Parsed:
    atoms: list[str] = []
    malformed: list[str] = []
    if at < len(text) and not text[at].isspace():
        malformed.append(text[at:].split(maxsplit=1)[0])
        return Parsed((), tuple(malformed))
    while len(atoms) + len(malformed) < MOST_IDS:
        word = _WORD.match(text, at)
        at = word.start(1) if word else at
        found = pattern.match(text, at)
        text_here = found.group() if found else word.group(1) if word else ""
        (atoms if found else malformed).append(text_here)
        at += len(text_here)
        comma = _COMMA.match(text, at)
        if comma is None:
            break
        at = comma.end()
    else:
        malformed.append(f"more than {MOST_IDS} ids in one annotation")
    rest = text[at:].lstrip()
    if malformed or (_REMARK.match(text, at) and not (pattern.match(rest) or _LINE.match(rest))):
        return Parsed(tuple(atoms), tuple(malformed))
    return Parsed(tuple(atoms), (rest.split(maxsplit=1)[0],))


def parse_comment(text: str, *, prefix: str = "IA") -> Iterator[tuple[int, Parsed]]:
    """Yield every annotation of a comment, leaders included, as (0-based line, annotation)."""
    for number, line in enumerate(text.split("\n")):
        if "@atom" in line:
            leader = _LEADER.match(line)
            parsed = parse_line(_without_end(line[leader.end() if leader else 0 :]), prefix=prefix)
            if parsed is not None:
                yield number, parsed


def _without_end(line: str) -> str:
    """Strip the comment's closing delimiter from a line."""
    line = line.rstrip()
    if line.endswith("*/"):
        return line.removesuffix("/").rstrip("*")
    return line.removesuffix("-->")


def parse_docstring(text: str, *, prefix: str = "IA") -> Iterator[tuple[int, Parsed]]:
    """Yield every annotation of a docstring's source text, quotes included, as (0-based line, annotation)."""
    opening = _QUOTED.match(text)
    if opening is not None and text.endswith(opening[1]) and len(text) >= opening.end() + len(opening[1]):
        text = text[opening.end() : len(text) - len(opening[1])]
    for number, line in enumerate(text.split("\n")):
        parsed = parse_line(line, prefix=prefix) if "@atom" in line else None
        if parsed is not None:
            yield number, parsed


def parse_tag(text: str, *, prefix: str = "IA") -> Parsed | None:
    """Parse a test runner's tag: `IA-1`, `@IA-1` or `@atom:IA-1`; return None for unrelated tags."""
    explicit = re.match(r"@?atom[:=]", text)
    word = text[explicit.end() :] if explicit else text.removeprefix("@")
    if id_pattern(prefix).fullmatch(word):
        return Parsed((word,))
    return Parsed((), (word,)) if explicit else None


def sort_words(words: Iterable[str], *, prefix: str = "IA") -> Parsed:
    """Parse the arguments of a marker such as `@pytest.mark.atom("IA-1", "IA-2")`."""
    pattern = id_pattern(prefix)
    atoms: list[str] = []
    malformed: list[str] = []
    for word in words:
        (atoms if pattern.fullmatch(word) else malformed).append(word)
    return Parsed(tuple(atoms), tuple(malformed) if atoms or malformed else ("",))
