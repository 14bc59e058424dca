"""`pk ask` and `pk chat`: answer questions in plain language, with proof and one-word choices."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click

from pactkeeper.doors.cli.output import bold, dim, document, say, verbatim
from pactkeeper.doors.cli.parameters import as_json, workspace
from pactkeeper.errors import PactkeeperError
from pactkeeper.workspace import Workspace

LEAVES: Final = frozenset({"/quit", "/exit", "exit", "quit"})
HELP: Final = "/verbs  what can be asked   /resume ASK-ID  a waiting question   /quit"


@click.command()
@click.option("--thread", metavar="ASK-ID", default="", help="Start with a question that is waiting for a choice.")
def command(*, thread: str) -> None:
    """Ask questions about this repository, one after another; nothing is written.

    Choices are answered in one word. `/verbs` lists what can be asked, `/resume ASK-ID` continues a waiting question,
    even one asked elsewhere; an empty line or `/quit` leaves.
    """
    with workspace() as (opened, _):
        opened.ensure_settled()
        read = _reader(opened)
        talk = Talk(opened)
        say(dim(HELP))
        if thread:
            talk.resume(thread)
        while (line := read()) not in {None, "", *LEAVES}:
            talk.hear(str(line))


@dataclass
class Talk:
    """A conversation: while a question waits, the next one-word line answers it."""

    opened: Workspace
    thread: str = ""

    def hear(self, line: str) -> None:
        """Handle one line and print the result."""
        name, _, rest = line.partition(" ")
        if name == "/verbs":
            _print_verbs()
        elif name == "/resume":
            self.resume(rest.strip())
        elif name.startswith("/"):
            say(dim(HELP))
        else:
            told = Telling()
            self._print(told, lambda: self._answered(line, told))

    def resume(self, thread: str) -> None:
        """Show a question that waits, with its choices; the next word answers it."""
        from pactkeeper.chat.asking import waiting  # noqa: PLC0415 - half of a command's start-up time
        from pactkeeper.chat.here import Here  # noqa: PLC0415 - likewise

        self._print(Telling(), lambda: waiting(Here(self.opened), thread))

    def _print(self, told: Telling, answered: Callable[[], dict[str, Any]]) -> None:
        try:
            found = answered()
        except PactkeeperError as reason:
            self.thread = ""
            say(f"{reason}")
            return
        finally:
            _step("")
        self.thread = found["thread"]
        told.rest(found)

    def _answered(self, line: str, told: Telling) -> dict[str, Any]:
        """A single word answers the waiting question; a whole sentence is a new question."""
        from pactkeeper.chat.asking import ask, reply  # noqa: PLC0415 - half of a command's start-up time
        from pactkeeper.chat.here import Here  # noqa: PLC0415 - likewise

        def hear(text: str, basis: str, bearing: Sequence[Mapping[str, Any]]) -> None:
            _step("")
            told.hear(text, basis, bearing)

        here = Here(self.opened, hear=hear)
        waits = bool(self.thread) and len(line.split()) == 1
        return reply(here, self.thread, line, hear=_step) if waits else ask(here, line, hear=_step)


def _step(node: str) -> None:
    """Show the node at work, on the terminal only, since only the answer should remain."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[2K{dim(node)}" if node else "\r\x1b[2K")
        sys.stderr.flush()


def _print_verbs() -> None:
    from pactkeeper.chat.matching import verbs  # noqa: PLC0415 - as above

    for verb in verbs().values():
        say(f"{bold(verb.word):14} {verb.does}; for example: {verb.examples[0]}")


def _reader(opened: Workspace) -> Callable[[], str | None]:
    """The function that reads the next line: with history and completion if prompt_toolkit is installed, else plain."""
    if sys.stdin.isatty():
        try:
            return _rich_reader(opened.state / "chat-history")
        except ImportError:
            pass
    return _plain


def _plain() -> str | None:
    line = sys.stdin.readline()
    return line.strip() if line else None


def _rich_reader(history: Path) -> Callable[[], str | None]:
    from prompt_toolkit import PromptSession  # noqa: PLC0415 - only needed on a terminal
    from prompt_toolkit.completion import WordCompleter  # noqa: PLC0415 - likewise
    from prompt_toolkit.history import FileHistory  # noqa: PLC0415 - likewise

    from pactkeeper.chat.matching import verbs  # noqa: PLC0415 - half of a command's start-up time

    history.parent.mkdir(parents=True, exist_ok=True)
    words = ["/verbs", "/resume", "/quit", *(verb.word for verb in verbs().values())]
    words += sorted({example for verb in verbs().values() for example in verb.examples[:3]})
    session: PromptSession[str] = PromptSession(
        history=FileHistory(str(history)), completer=WordCompleter(words, sentence=True, ignore_case=True)
    )

    def read() -> str | None:
        try:
            return session.prompt("ask> ").strip()
        except EOFError:
            return None

    return read


TOLD = 0
NOT_TOLD = 1


@click.command()
@click.argument("words", nargs=-1, required=True, metavar="QUESTION")
@click.option(
    "--thread", metavar="ASK-ID", help="Answer a question that is waiting for a choice; QUESTION is the word."
)
@click.option("--ask-model", is_flag=True, help="Let the configured model help; its sentences are checked.")
@as_json
def ask_command(words: tuple[str, ...], *, thread: str | None, ask_model: bool, json_: bool) -> int:
    """Answer QUESTION about this repository and its pact, with the lines that prove the answer.

    Nothing is written: a request that would write becomes a command for you to run. Exit 0: answered; 1: only near
    matches, nothing, or several meanings were found; 2: it could not be asked.
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
