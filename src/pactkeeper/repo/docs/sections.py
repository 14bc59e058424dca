"""Documents cut into sections: the lines under one heading, with the trail of headings that leads to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

_LONGEST: Final = 60  # lines; a longer section is cut at blank lines, so that a hit says where it is
_SHORTEST: Final = 20


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading at lines `line` to `last`, counted from 1; depth 0 is the title of the whole, 1 the outermost below."""

    line: int
    last: int
    depth: int
    title: str


@dataclass(frozen=True, slots=True)
class DocSection:
    """The text under a heading, or a part of it; `line` and `last` count from 1, `code` says that it documents code."""

    line: int
    last: int
    trail: tuple[str, ...]
    text: str
    code: bool = False


def cut(lines: Sequence[str], headings: Sequence[Heading]) -> Iterator[DocSection]:
    """Cut a document at its headings; what stands before the first one has no trail."""
    start = headings[0].line if headings else len(lines) + 1
    yield from _parts(lines, 1, start - 1, shown=1)
    trail: list[Heading] = []
    for position, heading in enumerate(headings):
        trail = [*(one for one in trail if one.depth < heading.depth), heading]
        following = headings[position + 1] if position + 1 < len(headings) else None
        last = following.line - 1 if following is not None else len(lines)
        titles = tuple(one.title for one in trail)
        found = list(_parts(lines, heading.last + 1, last, shown=heading.line, trail=titles))
        if found or following is None or following.depth <= heading.depth:
            yield from found or [DocSection(heading.line, heading.last, titles, "")]


def _parts(
    lines: Sequence[str], start: int, last: int, *, shown: int, trail: tuple[str, ...] = ()
) -> Iterator[DocSection]:
    """The lines `start` to `last` in parts of readable length; `shown` is the line of the first one's heading."""
    while start <= last:
        end = _end(lines, start, last)
        text = "\n".join(lines[start - 1 : end]).strip("\n")
        if text.strip():
            yield DocSection(shown, end, trail, text)
        start = shown = end + 1


def _end(lines: Sequence[str], start: int, last: int) -> int:
    """The last line of the part that begins at `start`: at a blank line where the section is long."""
    if last - start < _LONGEST:
        return last
    for line in range(start + _LONGEST - 1, start + _SHORTEST, -1):
        if not lines[line - 1].strip():
            return line
    return start + _LONGEST - 1
