"""`pk chat`: questions one after another, with one-word choices."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from pactkeeper.doors.cli.ask import Telling
from pactkeeper.doors.cli.output import bold, dim, say
from pactkeeper.doors.cli.parameters import workspace
from pactkeeper.errors import PactkeeperError

if TYPE_CHECKING:
    from pactkeeper.workspace import Workspace

LEAVES: Final = frozenset({"/quit", "/exit", "exit", "quit"})
HELP: Final = "/verbs  what can be asked   /resume ASK-ID  a question that waits   /quit"


@click.command()
@click.option("--thread", metavar="ASK-ID", default="", help="Begin with a question that waits for a choice.")
def command(*, thread: str) -> None:
    """Ask about this repository, question after question; nothing is written.

    A choice is answered in one word. `/verbs` lists what can be asked, `/resume ASK-ID` goes on with a question that
    waits, also one that was asked elsewhere; an empty line or `/quit` leaves.
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
