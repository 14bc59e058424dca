"""Split documents into sections: the lines under one heading, with the trail of headings that leads to it.

Markdown headings are those a CommonMark parser finds: both styles, none inside code, and without front matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from markdown_it import MarkdownIt


_LONGEST: Final = 60  # lines; a longer section is split at blank lines, so that a hit has a useful position
_SHORTEST: Final = 20


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading at lines `line` to `last` (1-based); depth 0 is the document's title, 1 the top level below it."""

    line: int
    last: int
    depth: int
    title: str


@dataclass(frozen=True, slots=True)
class DocSection:
    """The text under a heading, or part of it; `line` and `last` are 1-based, `code` says that it documents code."""

    line: int
    last: int
    trail: tuple[str, ...]
    text: str
    code: bool = False


def cut(lines: Sequence[str], headings: Sequence[Heading]) -> Iterator[DocSection]:
    """Split a document at its headings; text before the first one has no trail."""
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
    """Split lines `start` to `last` into parts of readable length; `shown` is the line of the first part's heading."""
    while start <= last:
        end = _end(lines, start, last)
        text = "\n".join(lines[start - 1 : end]).strip("\n")
        if text.strip():
            yield DocSection(shown, end, trail, text)
        start = shown = end + 1


def _end(lines: Sequence[str], start: int, last: int) -> int:
    """Return the last line of the part that begins at `start`: a blank line if the section is long."""
    if last - start < _LONGEST:
        return last
    for line in range(start + _LONGEST - 1, start + _SHORTEST, -1):
        if not lines[line - 1].strip():
            return line
    return start + _LONGEST - 1


_FENCES: Final = ("---", "+++")
_TITLE: Final = re.compile(r"title\s*+[:=](.*)")
_MARKUP: Final = (
    (re.compile(r"!?\[([^\]]{0,300})\]\([^)]{0,1000}\)|!?\[([^\]]{0,300})\]\[[^\]]{0,300}\]"), r"\1\2"),
    (re.compile(r"<[^<>]*+>|(?<!\s)\s*+\{#[^{}]*+\}\s*+$"), ""),
    (re.compile(r"[`*]+"), ""),
)


def markdown_sections(text: str) -> Iterator[DocSection]:
    """Yield the sections of a Markdown document."""
    lines = text.splitlines()
    skipped = _front_matter(lines)
    titles = (_TITLE.match(line) for line in lines[:skipped])
    title = next((found[1].strip().strip("\"'") for found in titles if found is not None), "")
    lines[:skipped] = [""] * skipped
    headings = list(_headings("\n".join(lines)))
    yield from cut(lines, [Heading(1, skipped, 0, title), *headings] if title else headings)


def _headings(text: str) -> Iterator[Heading]:
    tokens = _parser().parse(text)
    for token, content in pairwise(tokens):
        if token.type == "heading_open" and token.level == 0 and token.map is not None:
            yield Heading(token.map[0] + 1, token.map[1], int(token.tag[1:]), plain(content.content, _MARKUP))


def plain(title: str, markup: Iterable[tuple[re.Pattern[str], str]]) -> str:
    """Return a heading's text without links, tags and emphasis."""
    for pattern, kept in markup:
        title = pattern.sub(kept, title)
    return " ".join(title.split())


def _front_matter(lines: Sequence[str]) -> int:
    """Return how many leading lines are a site generator's front matter."""
    if not lines or lines[0].rstrip() not in _FENCES:
        return 0
    fence = lines[0].rstrip()
    return next((number for number, line in enumerate(lines[1:], start=2) if line.rstrip() == fence), 0)


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # noqa: PLC0415 - only needed if a document changed

    parser = MarkdownIt("commonmark")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser
