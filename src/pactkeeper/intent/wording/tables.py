"""How a table of words is written: as plain text, one word after the other."""

from __future__ import annotations


def table(text: str) -> frozenset[str]:
    """The words of a text as a set."""
    return frozenset(text.split())


def ordered(text: str) -> tuple[str, ...]:
    """The words of a text in their order."""
    return tuple(text.split())


def pairs(text: str) -> dict[str, str]:
    """The words of a text, each with what stands behind its colon."""
    return dict(entry.split(":") for entry in text.split())
