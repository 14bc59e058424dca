"""Which files of a repository are documents, and how each kind is read: one table.

The headings of reStructuredText: a line of text with a line of one punctuation mark below it, or one on each side.

Which mark means which depth is what the document itself makes of it, in the order of first use.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from pactkeeper.repo.docs.sections import DocSection, Heading, cut, markdown_sections
from pactkeeper.repo.languages.outline import Outline

_RULE: Final = re.compile(r"([!-/:-@\[-`{-~])\1{2,}\s*\Z")
# what stands before a heading to name it for other documents, and says nothing itself
_LABEL: Final = re.compile(
    r"\.\. (?:_[^:]+:|(?:setting|signal|reqmeta|command|currentmodule|module|highlight|index)::.*)\s*\Z"
)
_SHORT: Final = 4  # a line of marks this long may be shorter than its title
_MARKUP: Final = (
    (re.compile(r"(?<![\w:.+-]):(?:[\w.+-]++:)++`!?~?([^`<]*+)(?:<[^`>]*+>)?`"), r"\1"),
    (re.compile(r"\\(.)"), r"\1"),
    (re.compile(r"[`*]+|\|(?=\w)|(?<=\w)\||(?<!_)_++$"), ""),
)


def rst_sections(text: str) -> Iterator[DocSection]:
    """The sections of a reStructuredText document."""
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
    """The heading that starts at a line (counted from 0): its style, its text, and how many lines it takes."""
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
    """A heading's text without roles and emphasis."""
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
VERSION: Final = 1  # raised with every change of what a reader makes of a document


def is_foreign(path: str) -> bool:
    """Whether a file belongs to somebody else's code ."""
    return _FOREIGN.search(path) is not None


def is_document(path: str) -> bool:
    """Whether a file is written for people; plain text counts where documents stand."""
    suffix = _suffix(path)
    return suffix in _READERS and (suffix != ".txt" or _PLAIN.search(path) is not None)


def sections_of(path: str, data: bytes) -> Iterator[DocSection]:
    """The sections of a document; bytes that are not UTF-8 become replacement characters."""
    yield from _READERS[_suffix(path)](data.decode("utf-8-sig", "replace"))


def _suffix(path: str) -> str:
    dot = path.rfind(".")
    return path[dot:].lower() if dot > path.rfind("/") else ""


def outline_sections(outline: Outline) -> Iterator[DocSection]:
    """One section for every documentation comment; the trail is the name of what it documents."""
    if outline.doc:
        yield _section((), outline.doc, outline.doc_line)
    for one in outline.definitions:
        if one.doc:
            yield _section(tuple(one.name.split(".")), one.doc, one.doc_line)


def _section(trail: tuple[str, ...], doc: str, line: int) -> DocSection:
    return DocSection(line, line + doc.count("\n"), trail, doc, code=True)
