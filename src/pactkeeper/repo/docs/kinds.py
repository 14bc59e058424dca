"""Which files of a repository are documents and how each kind is read, as one table.

Headings in reStructuredText are a line of text with a line of one punctuation mark below it, or above and below.

Which mark stands for which depth is up to each document: they are ranked by first use.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from pactkeeper.repo.docs.sections import DocSection, Heading, cut, markdown_sections
from pactkeeper.repo.languages.outline import Outline

_RULE: Final = re.compile(r"([!-/:-@\[-`{-~])\1{2,}\s*\Z")
# precedes a heading to label it for cross-references, and has no content of its own
_LABEL: Final = re.compile(
    r"\.\. (?:_[^:]+:|(?:setting|signal|reqmeta|command|currentmodule|module|highlight|index)::.*)\s*\Z"
)
_SHORT: Final = 4  # an underline this long may be shorter than its title
_MARKUP: Final = (
    (re.compile(r"(?<![\w:.+-]):(?:[\w.+-]++:)++`!?~?([^`<]*+)(?:<[^`>]*+>)?`"), r"\1"),
    (re.compile(r"\\(.)"), r"\1"),
    (re.compile(r"[`*]+|\|(?=\w)|(?<=\w)\||(?<!_)_++$"), ""),
)


def rst_sections(text: str) -> Iterator[DocSection]:
    """Yield the sections of a reStructuredText document."""
    lines = ["" if _LABEL.match(line) else line for line in text.splitlines()]
    yield from cut(lines, list(_headings(lines)))


def _headings(lines: Sequence[str]) -> Iterator[Heading]:
    styles: list[tuple[str, bool]] = []
    number = 0
    while number < len(lines) - 1:
        found = _titled(lines, number)
        if found is None:
            number += 1
            continue
        style, title, size = found
        if style not in styles:
            styles.append(style)
        yield Heading(number + 1, number + size, styles.index(style) + 1, plain(title))
        number += size


def _titled(lines: Sequence[str], number: int) -> tuple[tuple[str, bool], str, int] | None:
    """Return the heading that starts at a line (0-based): its style, its text, and how many lines it spans."""
    line = lines[number]
    if _RULE.match(line) and number + 2 < len(lines):
        title, below = lines[number + 1], lines[number + 2]
        if below.rstrip() == line.rstrip() and title.strip() and not _RULE.match(title):
            return (line[0], True), title, 3
    below = lines[number + 1]
    bare = line.strip()
    if not bare or line[0].isspace() or _RULE.match(line) or not _RULE.match(below):
        return None
    if number and lines[number - 1].strip():
        return None
    wide = len(below.rstrip())
    return ((below[0], False), bare, 2) if wide >= len(bare) or wide >= _SHORT else None


def plain(title: str) -> str:
    """Return a heading's text without roles and emphasis."""
    for pattern, kept in _MARKUP:
        title = pattern.sub(kept, title)
    return " ".join(title.split())


_FOREIGN: Final = re.compile(r"(?:^|/)(?:node_modules|site-packages|dist-packages|vendor|third_party)/")
_PLAIN: Final = re.compile(r"(?:^|/)(?:docs?|documentation)/.{0,1000}\.txt\Z|(?:^|/)readme[^/]*\.txt\Z", re.IGNORECASE)
_READERS: Final[dict[str, Callable[[str], Iterable[DocSection]]]] = {
    ".md": markdown_sections,
    ".markdown": markdown_sections,
    ".mdx": markdown_sections,
    ".rst": rst_sections,
    ".txt": rst_sections,
}
VERSION: Final = 1  # bumped with every change to what a reader produces


def is_foreign(path: str) -> bool:
    """Whether a file is third-party code."""
    return _FOREIGN.search(path) is not None


def is_document(path: str) -> bool:
    """Whether a file is written for people; plain text only counts in documentation folders and as a readme."""
    suffix = _suffix(path)
    return suffix in _READERS and (suffix != ".txt" or _PLAIN.search(path) is not None)


def sections_of(path: str, data: bytes) -> Iterator[DocSection]:
    """Yield the sections of a document; bytes that aren't UTF-8 become replacement characters."""
    yield from _READERS[_suffix(path)](data.decode("utf-8-sig", "replace"))


def _suffix(path: str) -> str:
    dot = path.rfind(".")
    return path[dot:].lower() if dot > path.rfind("/") else ""


def outline_sections(outline: Outline) -> Iterator[DocSection]:
    """Yield one section per documentation comment; the trail is the name of what it documents."""
    if outline.doc:
        yield _section((), outline.doc, outline.doc_line)
    for one in outline.definitions:
        if one.doc:
            yield _section(tuple(one.name.split(".")), one.doc, one.doc_line)


def _section(trail: tuple[str, ...], doc: str, line: int) -> DocSection:
    return DocSection(line, line + doc.count("\n"), trail, doc, code=True)
