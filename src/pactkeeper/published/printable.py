"""Text of a repository must not drive the reader's terminal or log."""

from __future__ import annotations

_OWN_CODES = frozenset({"[0m", "[1m", "[2m", "[31m", "[32m", "[33m", "[34m", "[36m"})


def printable(text: str) -> str:
    """Neutralise control characters: text of a repository must not drive the reader's terminal.

    Only the codes for bold, dim, plain colours and reset stay; nothing that could hide text or move the cursor.
    """
    first, *rest = text.split("\x1b")
    return _plain(first) + "".join(_after_escape(part) for part in rest)


def _after_escape(text: str) -> str:
    ours = text[: text.find("m", 0, 4) + 1] in _OWN_CODES
    return ("\x1b" if ours else "\\x1b") + _plain(text)


def _plain(text: str) -> str:
    return text if text.isprintable() else "".join(map(_shown, text))


def _shown(character: str) -> str:
    if character in "\n\t" or character.isprintable():
        return character
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")
