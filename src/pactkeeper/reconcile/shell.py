"""Text for a shell, so that a command that is printed can be pasted."""

from __future__ import annotations


def quoted(text: str) -> str:
    """Quote a name for a POSIX shell where it must be."""
    from shlex import quote  # noqa: PLC0415 - only when there is something to print

    return quote(text)
