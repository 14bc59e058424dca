"""Output of the command line: results on stdout, the rest on stderr, colour and wrapping only on a terminal.

Also here: stopping a long-running command, whose first signal unwinds the stack so that everything is cleaned up.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TextIO, TypeVar

import click

from pactkeeper.errors import PactkeeperError, UsageError, WriteFailed
from pactkeeper.published.plain import plain, printable

COLOURS = {"error": "red", "warning": "yellow", "info": "blue"}


def document(value: object, schema: str = "") -> None:
    """Print a value as one JSON document on stdout, with its schema's name if it has one.

    The output is ASCII-only, so that odd file names survive every terminal and pipe.
    """
    import msgspec  # noqa: PLC0415 - only needed to print JSON

    found = plain(value)
    text = json.dumps({"schema": f"pactkeeper.{schema}", **found} if schema else found, allow_nan=False)
    with suppress(msgspec.DecodeError):  # lone surrogates are refused
        text = msgspec.json.format(text, indent=1)
    click.echo(text)


@contextmanager
def until_closed() -> Iterator[None]:
    """Print until the reader goes away; a reader that stops early still gets the exit code."""
    try:
        yield
    except BrokenPipeError:
        sys.stdout = None  # keeps the interpreter from flushing into the closed pipe


def say(text: str = "") -> None:
    """Print a line of the result on stdout, wrapped on a terminal."""
    click.echo(_fitting(printable(text), sys.stdout))


def verbatim(text: str) -> None:
    """Print a text on stdout unwrapped, to be copied: source code, settings, what people wrote."""
    click.echo(printable(text))


def note(text: str) -> None:
    """Print a line that is not part of the result on stderr, wrapped on a terminal."""
    click.echo(_fitting(printable(text), sys.stderr), err=True)


def _fitting(text: str, stream: TextIO | None) -> str:
    """A text wrapped to the terminal's width; unchanged if the stream is not a terminal."""
    if stream is None or not stream.isatty():
        return text
    from shutil import get_terminal_size  # noqa: PLC0415 - pipes are not wrapped

    return wrapped(text, get_terminal_size().columns)


def mark(word: str) -> str:
    """Colour a severity word."""
    return click.style(word, fg=COLOURS.get(word), bold=True if word == "error" else None)


def dim(text: str) -> str:
    """Dim text on a terminal."""
    return click.style(text, dim=True)


def bold(text: str) -> str:
    """Make text bold on a terminal."""
    return click.style(text, bold=True)


def count(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun: `1 test`, `2 tests`, `3 entries`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {plural or noun + 's'}"


def tally(counts: Sequence[tuple[str, int]]) -> str:
    """Counts in one line, such as `3 linked, 2 orphan`, leaving out zeros."""
    return ", ".join(f"{number:,} {name.replace('_', ' ')}" for name, number in counts if number)


def in_words(name: str) -> str:
    """A name of the code as words: `create task` for `createTask`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", name).lower()


def line_of(path: str) -> str:
    """A path on one line: line breaks in file names would look like further output of ours."""
    return path.replace("\n", "\\n").replace("\r", "\\r") if "\n" in path or "\r" in path else path


def place_of(path: str, line: int) -> str:
    """A path on one line, with the line number if there is one."""
    return f"{line_of(path)}:{line}" if line else line_of(path)


Member = TypeVar("Member")


def first_of(members: Sequence[Member], most: int, rest: str) -> Iterator[Member]:
    """The first members, to be printed; after them comes the line `rest`, with the number of the others for `{}`."""
    yield from members[:most]
    if len(members) > most:
        say(dim(rest.format(f"{len(members) - most:,}")))


Result = TypeVar("Result")


@dataclass(slots=True)
class Faults:
    """Unexpected exceptions collected while several things are done."""

    met: list[Exception] = field(default_factory=list)

    def attempt(self, work: Callable[[], Result], /) -> Result:
        """Do one thing; an unexpected exception is kept, and reraised as an ordinary error."""
        try:
            return work()
        except PactkeeperError:
            raise
        except Exception as fault:  # kept so that the others are still done, and raised in the end
            self.met.append(fault)
            raise PactkeeperError(f"it met a bug in Pactkeeper ({type(fault).__name__}: {fault})") from fault

    def end(self) -> None:
        """Raise the exceptions that were kept, if any, so that they are reported with tracebacks."""
        if self.met:
            raise ExceptionGroup("what was done met bugs", self.met)


SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)


class Ended(KeyboardInterrupt):
    """A signal to stop; it unwinds the stack, so that running work is ended and cleaned up."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number

    @property
    def exit_code(self) -> int:
        """130 for an interrupt, as shells expect, and 0 for a request to stop."""
        return 130 if self.number == signal.SIGINT else 0


@contextmanager
def ending() -> Iterator[None]:
    """Raise Ended at the first signal to stop; further ones don't interrupt the cleanup."""

    def asked(number: int, _: object) -> None:
        for one in SIGNALS:
            signal.signal(one, signal.SIG_IGN)
        raise Ended(number)

    before = [signal.signal(one, asked) for one in SIGNALS]
    try:
        yield
    finally:
        for one, handler in zip(SIGNALS, before, strict=True):
            signal.signal(one, handler)


def ensure_writable(place: Path, option: str) -> None:
    """Raise UsageError, naming the option, if no file could be written there."""
    reason = _reason(place)
    if reason:
        raise UsageError(f"{option} {str(place)!r} cannot be written: {reason}")


def write_out(place: Path, text: str) -> None:
    """Write a text in UTF-8; raises WriteFailed."""
    try:
        place.write_text(text, encoding="utf-8")
    except OSError as error:
        raise WriteFailed(f"{str(place)!r} cannot be written: {error.strerror}; name another file") from error


def _reason(place: Path) -> str:
    folder = place.parent
    if place.is_dir():
        return "it is a folder; name a file in it"
    if not folder.is_dir():
        return f"there is no folder {str(folder)!r}; make it, or name another file"
    allowed = os.access(place, os.W_OK) if place.exists() else os.access(folder, os.W_OK | os.X_OK)
    return "" if allowed else "the system does not allow it; name another file"


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
