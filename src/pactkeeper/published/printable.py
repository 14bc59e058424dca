"""Text of a repository must not drive the reader's terminal or log."""

from __future__ import annotations

_OWN_CODES = frozenset({"[0m", "[1m", "[2m", "[31m", "[32m", "[33m", "[34m", "[36m"})


def printable(text: str) -> str:
    """Neutralise control characters: text of a repository must not drive the reader's terminal.

    Only the codes for bold, dim, plain colours and reset stay; nothing that could hide text or move the cursor.
    """
    if text.isprintable():
        return text
    return "".join(_shown(text, position) for position in range(len(text)))


def _shown(text: str, position: int) -> str:
    character = text[position]
    if character in "\n\t" or character.isprintable():
        return character
    if character == "\x1b" and _is_colour(text, position):
        return character
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")


def _is_colour(text: str, position: int) -> bool:
    end = text.find("m", position, position + 5)
    return text[position + 1 : end + 1] in _OWN_CODES
