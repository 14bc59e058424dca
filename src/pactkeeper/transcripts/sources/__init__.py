"""Transcript formats: one module each, recognised by how a file begins."""

from __future__ import annotations

from typing import Final

from pactkeeper.transcripts.sources import claude_code, codex, generic, markdown
from pactkeeper.transcripts.sources.records import OpenFile, Source

SOURCES: Final[tuple[Source, ...]] = (codex.SOURCE, claude_code.SOURCE, generic.SOURCE, markdown.SOURCE)
SUFFIXES: Final = frozenset(suffix for source in SOURCES for suffix in source.suffixes)


def source_of(file: OpenFile) -> Source | None:
    """Return the format of a file; None if it isn't a transcript."""
    beginning = file.beginning()
    return next((source for source in SOURCES if source.recognise(file.path, beginning)), None)
