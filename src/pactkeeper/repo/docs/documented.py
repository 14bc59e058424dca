"""What source files say about themselves: the documentation of a module, its classes and functions, as sections."""

from __future__ import annotations

from collections.abc import Iterator

from pactkeeper.repo.docs.sections import DocSection
from pactkeeper.repo.languages.outline import Outline


def outline_sections(outline: Outline) -> Iterator[DocSection]:
    """One section for every documentation comment; the trail is the name of what it documents."""
    if outline.doc:
        yield _section((), outline.doc, outline.doc_line)
    for one in outline.definitions:
        if one.doc:
            yield _section(tuple(one.name.split(".")), one.doc, one.doc_line)


def _section(trail: tuple[str, ...], doc: str, line: int) -> DocSection:
    return DocSection(line, line + doc.count("\n"), trail, doc, code=True)
