"""Wrap lines for a terminal: at spaces, with a hanging indent, and never inside text meant to be copied.

A command, a quotation in backquotes and a test id at the start of a line stay whole. One longer than a line is left for
the terminal to break, so that it can still be copied.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import click

HANGING: Final = 2  # spaces that continuation lines are indented by, beyond the line's own indent
_CODES: Final = r"(?:\x1b\[\d*m)*"
_QUOTED: Final = r"'[^'\n]*'|\"[^\"\n]*\""
_COMMAND: Final = rf"[(\"]?{_CODES}(?:pk|git|pip|npm)(?:[ ](?:{_QUOTED}|[^\s;,()'\"`])+)+\S*"
_PIECE: Final = re.compile(rf"(?P<space>\s*)(?P<words>{_COMMAND}|{_CODES}`[^`\n]*`\S*|\S+)")
_TEST_ID: Final = re.compile(r"\s*\S+::\S+(?:[ ]\S+)*")


def wrapped(text: str, width: int) -> str:
    """Every line of a text wrapped to at most `width` characters, if its words allow that."""
    return "\n".join(_wrapped(line, width) for line in text.split("\n"))


def _wrapped(line: str, width: int) -> str:
    if _length(line) <= width:
        return line
    hanging = " " * (_length(line) - _length(line.lstrip()) + HANGING)
    if len(hanging) * 2 > width:
        return line
    lines, begun = [""], False
    for space, words in _pieces(line):
        if begun and _length(lines[-1]) + len(space) + _length(words) > width:
            lines.append(hanging + words)
        else:
            lines[-1] += space + words
        begun = True
    return "\n".join(lines)


def _pieces(line: str) -> Iterator[tuple[str, str]]:
    """The unbreakable pieces of a line, each with the space before it."""
    whole = _TEST_ID.match(click.unstyle(line)) if "::" in line and "\x1b" not in line else None
    if whole is not None:
        yield "", whole[0]
    for found in _PIECE.finditer(line, whole.end() if whole else 0):
        yield found["space"], found["words"]


def _length(text: str) -> int:
    return len(click.unstyle(text))
