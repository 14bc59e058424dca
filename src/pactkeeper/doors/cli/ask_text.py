"""How an answer is printed: sentences, the quoted lines below them, what is missing, the commands to go on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from pactkeeper.doors.cli.output import bold, dim, say, verbatim

_ENTRY: Final = re.compile(r"\[?(\w+-\w+)(?:\.|\]\n)")  # how an entry of the pact begins
MOST_LINES: Final = 6  # of one quote; the place says where the rest is


def print_answer(found: Mapping[str, Any]) -> None:
    """Print one answer."""
    shown: set[int] = set()
    for one in found["says"]:
        mark = {"model": "~ ", "missing": "– "}.get(one["basis"], "")
        say(f"{mark}{one['text']}")
        for number in one["cites"]:
            if number not in shown:
                _quote(found["citations"][number], one["text"])
                shown.add(number)
    for number, one in enumerate(found["choices"], 1):
        say(f"  {number} {bold(one['word'])}: {one['does']}")
    for line in found["diff"].splitlines():
        verbatim(line)
    for note in _notes(found):
        say(dim(note))


def _notes(found: Mapping[str, Any]) -> Iterator[str]:
    yield from (f"note: {one}" for one in found["limitations"])
    yield from (f"not looked at: {one}" for one in found["not_looked_at"])
    if found["kind"] == "cannot_tell":
        yield from (f"searched: {one}" for one in found["searched"])
    if found["thread"]:
        yield f"answer with: pk ask --thread {found['thread']} WORD"
    yield from (f"next: {one}" for one in found["next"])


def _quote(one: Mapping[str, Any], said: str) -> None:
    """The place and its lines; the place alone where the sentence is what an entry of the pact says."""
    lines = one["quote"].splitlines()
    say(dim(f"    {one['path']}:{one['line']}"))
    entry = _ENTRY.match(one["quote"])
    if entry is not None and entry[1] in said:
        return
    for number, line in enumerate(lines[:MOST_LINES], one["line"]):
        verbatim(f"    {number:>5}  {line}")
    if len(lines) > MOST_LINES:
        say(dim(f"           … to line {one['end']}"))
