"""Makes what a terminal was sent into text that can be read line by line."""

from __future__ import annotations

import re
from typing import Final

LONGEST_LINE: Final = 4_000  # characters of a line that a pattern gets to see
LONGEST_MESSAGE: Final = 4_000  # characters of a diagnostic's message
_MOST_LINES: Final = 60  # of a diagnostic's message
_ESCAPES: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_])")


def clean(text: str) -> str:
    """The text without colours, cursor moves, null bytes and carriage returns; a rewritten line becomes several."""
    if "\x1b" in text:
        text = _ESCAPES.sub("", text)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.replace("\0", "").removeprefix("\ufeff")


def lines_of(text: str) -> list[str]:
    """The lines, each cut to `LONGEST_LINE` characters."""
    return [line if len(line) <= LONGEST_LINE else line[:LONGEST_LINE] for line in text.split("\n")]


def dedented(lines: list[str]) -> str:
    """Lines as one text, without blank ends and without what all of them are indented by."""
    full = [line for line in lines if line.strip()]
    margin = min((len(line) - len(line.lstrip(" ")) for line in full), default=0)
    return "\n".join(line[margin:].rstrip() for line in lines).strip("\n")


def bounded(message: str) -> str:
    """A message of at most `LONGEST_MESSAGE` characters; the sign … says that more was printed."""
    text = message.strip()
    if len(text) > LONGEST_MESSAGE:
        text = text[: LONGEST_MESSAGE - 1] + "…"
    if text.count("\n") >= _MOST_LINES:
        text = "\n".join([*text.split("\n")[: _MOST_LINES - 1], "…"])
    return text


def count(text: str) -> int:
    """A number of a line or column as a tool writes it; 0 where it is none, or larger than any file."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0  # noqa: PLR2004 - a billion lines
