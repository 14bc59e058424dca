"""`pk ask`: answer a question in plain language, with proof."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import click

from pactkeeper.doors.cli.output import bold, dim, document, say, verbatim
from pactkeeper.doors.cli.parameters import as_json, workspace

TOLD = 0
NOT_TOLD = 1


@click.command()
@click.argument("words", nargs=-1, required=True, metavar="QUESTION")
@click.option("--thread", metavar="ASK-ID", help="Answer a question that waits for a choice; QUESTION is the word.")
@click.option("--ask-model", is_flag=True, help="Let the model that is set up help; its sentences are checked.")
@as_json
def command(words: tuple[str, ...], *, thread: str | None, ask_model: bool, json_: bool) -> int:
    """Answer QUESTION about this repository and its pact, with the lines that prove it.

    Nothing is written: a wish that would write becomes a command for you to run. Exit 0: answered; 1: only close
    lines, nothing, or several meanings were found; 2: it could not be asked.
    """
    from pactkeeper.chat.asking import ask, reply, with_model  # noqa: PLC0415 - half of a command's start-up time
    from pactkeeper.chat.here import Here  # noqa: PLC0415 - likewise

    text = " ".join(words)
    with workspace() as (opened, _):
        opened.ensure_settled()
        here = with_model(opened) if ask_model else Here(opened)
        found = ask(here, text) if thread is None else reply(here, thread, text)
    if json_:
        document(found)
    else:
        print_answer(found)
    return TOLD if found["kind"] in {"answer", "proposal"} else NOT_TOLD


_ENTRY: Final = re.compile(r"\[?(\w+-\w+)(?:\.|\]\n)")  # how an entry of the pact begins
MOST_LINES: Final = 12  # of one quote; the location says where the rest is


def print_answer(found: Mapping[str, Any]) -> None:
    """Print one answer."""
    told = Telling()
    told.rest(found)


class Telling:
    """Prints an answer as it arrives, each sentence and each quote once."""

    def __init__(self) -> None:
        self._said: set[str] = set()
        self._quoted: set[tuple[str, int]] = set()

    def hear(self, text: str, basis: str, bearing: Sequence[Mapping[str, Any]]) -> None:
        """Print a sentence with the quotes that support it."""
        if text in self._said:
            return
        self._said.add(text)
        mark = {"model": "~ ", "missing": "– "}.get(basis, "")
        say(f"{mark}{text}")
        for one in bearing:
            place = (one["path"], one["line"])
            if place not in self._quoted:
                _quote(one, text)
                self._quoted.add(place)

    def rest(self, found: Mapping[str, Any]) -> None:
        """Print the part of an answer not printed yet, and its choices, diff and notes."""
        for one in found["says"]:
            self.hear(one["text"], one["basis"], [found["citations"][number] for number in one["cites"]])
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
    """Print the location and its lines; only the location if the sentence repeats an entry of the pact."""
    lines = one["quote"].splitlines()
    say(dim(f"    {one['path']}:{one['line']}"))
    entry = _ENTRY.match(one["quote"])
    if entry is not None and entry[1] in said:
        return
    for number, line in enumerate(lines[:MOST_LINES], one["line"]):
        verbatim(f"    {number:>5}  {line}")
    if len(lines) > MOST_LINES:
        say(dim(f"           … to line {one['end']}"))
