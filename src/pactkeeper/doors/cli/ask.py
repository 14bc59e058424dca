"""`pk ask`: a question in words, an answer with its proof."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
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
@click.pass_context
def command(ctx: click.Context, words: tuple[str, ...], *, thread: str | None, ask_model: bool, json_: bool) -> int:
    """Answer QUESTION about this repository and its pact, with the lines that prove it.

    Nothing is written: a wish that would write becomes a command for you to run. Exit 0: answered; 1: the repository
    does not say, or the question may mean several things; 2: it could not be asked.
    """
    from pactkeeper.chat.asking import ask, reply, with_model  # noqa: PLC0415 - half the start of a command
    from pactkeeper.chat.here import Here  # noqa: PLC0415 - likewise

    text = " ".join(words)
    with workspace(ctx) as (opened, _):
        opened.ensure_settled()
        here = with_model(opened) if ask_model else Here(opened)
        found = ask(here, text) if thread is None else reply(here, thread, text)
    if json_:
        document(found)
    else:
        print_answer(found)
    return TOLD if found["kind"] in {"answer", "proposal"} else NOT_TOLD


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
