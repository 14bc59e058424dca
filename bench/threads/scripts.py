"""Scripted threads: what people say, where the bot gets its turn, and what a reader of the thread would write down.

`== name | domain | language` begins a thread, `Name: text` a message (further lines are indented), `>>` gives the bot
its turn. Then the labels: `-> field: value`, `!! what contradicts`, `?? conflict: the reply when it is asked about`,
and `-- gaps` where no preview may come of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pactkeeper.intent.ticket import Field, ThreadMessage

HERE: Final = Path(__file__).parent
# Rules are made with the open half of a file; of the blind half nobody looks at what they miss.
_PARTS: Final[dict[str, tuple[str, int]]] = {
    "fresh_open": ("fresh", 0),
    "fresh_blind": ("fresh", 1),
    "later_open": ("later", 0),
    "later_blind": ("later", 1),
}
HALVES: Final = ("development", "held_out", "unseen", *_PARTS)
_FIELDS: Final[dict[str, Field]] = {
    "title": "title",
    "problem": "problem",
    "solution": "proposed_solution",
    "criterion": "acceptance_criteria",
    "constraint": "constraints",
    "question": "open_questions",
    "dependency": "dependencies",
    "risk": "risks",
    "link": "evidence_links",
    "epic": "epic_id",
}
_AT: Final = "2026-03-01T09:00:00+00:00"


@dataclass(slots=True)
class Script:
    """One thread; a turn of the bot is None among the messages. `labels` are pairs of a field and a value."""

    name: str
    domain: str
    language: str
    steps: list[ThreadMessage | None] = field(default_factory=list)
    labels: list[tuple[Field, str]] = field(default_factory=list)
    contradictions: list[str] = field(default_factory=list)
    reply: str = ""
    gaps: bool = False


def scripts(half: str) -> tuple[Script, ...]:
    """The threads of one half, in the order of the file; every second one where a file holds two halves."""
    name, first = _PARTS.get(half, ("", 0))
    return _of_file(name)[first::2] if name else _of_file(half)


def _of_file(file: str) -> tuple[Script, ...]:
    found: list[Script] = []
    for line in (HERE / f"{file}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("== "):
            name, domain, language = line[3:].split(" | ")
            found.append(Script(name, domain, language))
        elif line:
            _take(found[-1], line)
    return tuple(found)


def _take(script: Script, line: str) -> None:
    mark, _, rest = line.partition(" ")
    match mark:
        case ">>":
            script.steps.append(None)
        case "->":
            name, _, value = rest.partition(": ")
            script.labels.append((_FIELDS[name], value))
        case "!!":
            script.contradictions.append(rest)
        case "??":
            script.reply = rest.partition(": ")[2]
        case "--":
            script.gaps = True
        case _:
            _say(script, line)


def _say(script: Script, line: str) -> None:
    last = script.steps[-1] if script.steps else None
    said = re.fullmatch(r"(?P<author>[\w-]+): (?P<text>.*)", line)
    if line.startswith("  ") and last is not None:
        text = f"{last.text}\n{line[2:]}"
        script.steps[-1] = message(script, last.author, text, last.sequence)
    elif said is not None:
        number = sum(step is not None for step in script.steps) + 1
        script.steps.append(message(script, said["author"], said["text"], number))
    else:
        raise ValueError(f"{script.name}: {line!r} is no line of a thread")


def message(script: Script, author: str, text: str, number: int) -> ThreadMessage:
    """A message of a script."""
    link = f"https://chat.example/{script.name}/{number}"
    bot = author.endswith("-bot")
    return ThreadMessage(f"{script.name}/{number}", script.name, author, _AT, text, link, number, bot)
