"""Which files of a repository are documents, and how each kind is read: one table."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from pactkeeper.repo.docs.rst import rst_sections
from pactkeeper.repo.docs.sections import DocSection, markdown_sections
from pactkeeper.repo.languages.outline import Outline

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
