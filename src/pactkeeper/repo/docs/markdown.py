"""The headings of Markdown, as a CommonMark parser sees them: none in code, both spellings, front matter left out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from pactkeeper.repo.docs.sections import DocSection, Heading, cut

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_FENCES: Final = ("---", "+++")
_TITLE: Final = re.compile(r"title\s*+[:=](.*)")
_MARKUP: Final = (
    (re.compile(r"!?\[([^\]]{0,300})\]\([^)]{0,1000}\)|!?\[([^\]]{0,300})\]\[[^\]]{0,300}\]"), r"\1\2"),
    (re.compile(r"<[^<>]*+>|(?<!\s)\s*+\{#[^{}]*+\}\s*+$"), ""),
    (re.compile(r"[`*]+"), ""),
)


def markdown_sections(text: str) -> Iterator[DocSection]:
    """The sections of a Markdown document."""
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
            yield Heading(token.map[0] + 1, token.map[1], int(token.tag[1:]), plain(content.content))


def plain(title: str) -> str:
    """A heading's text without links, tags and emphasis."""
    for pattern, kept in _MARKUP:
        title = pattern.sub(kept, title)
    return " ".join(title.split())


def _front_matter(lines: Sequence[str]) -> int:
    """How many lines at the start are settings of a site generator."""
    if not lines or lines[0].rstrip() not in _FENCES:
        return 0
    fence = lines[0].rstrip()
    return next((number for number, line in enumerate(lines[1:], start=2) if line.rstrip() == fence), 0)


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # noqa: PLC0415 - only where a document changed

    parser = MarkdownIt("commonmark")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser
