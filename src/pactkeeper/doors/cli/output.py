"""How the command line prints: results on stdout, everything else on stderr, colour and wrapping only on a terminal."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TextIO

import click

from pactkeeper.published.plain import plain, printable

COLOURS = {"error": "red", "warning": "yellow", "info": "blue"}


def document(value: object, schema: str = "") -> None:
    """Print a value as one JSON document on stdout, under the name of its schema where it has one.

    ASCII-only, so that odd file names survive every terminal and pipe.
    """
    found = plain(value)
    click.echo(json.dumps({"schema": f"pactkeeper.{schema}", **found} if schema else found, indent=1, allow_nan=False))


@contextmanager
def until_closed() -> Iterator[None]:
    """Print until the reader goes away: who stops reading still gets the exit code."""
    try:
        yield
    except BrokenPipeError:
        sys.stdout = None  # keeps the interpreter from flushing into the closed pipe


def say(text: str = "") -> None:
    """Print a line of the result on stdout; on a terminal it is wrapped."""
    click.echo(_fitting(printable(text), sys.stdout))


def verbatim(text: str) -> None:
    """Print a text on stdout that somebody copies as it is: source code, settings, what people wrote."""
    click.echo(printable(text))


def note(text: str) -> None:
    """Print a line that is not part of the result, on stderr; on a terminal it is wrapped."""
    click.echo(_fitting(printable(text), sys.stderr), err=True)


def _fitting(text: str, stream: TextIO | None) -> str:
    """A text in lines that fit a terminal; as it is where the stream is none."""
    if stream is None or not stream.isatty():
        return text
    from shutil import get_terminal_size  # noqa: PLC0415 - pipes are not wrapped

    from pactkeeper.doors.cli.wrapping import wrapped  # noqa: PLC0415 - likewise

    return wrapped(text, get_terminal_size().columns)


def mark(word: str) -> str:
    """Colour a severity word."""
    return click.style(word, fg=COLOURS.get(word), bold=True if word == "error" else None)


def dim(text: str) -> str:
    """Make text recede on a terminal."""
    return click.style(text, dim=True)


def bold(text: str) -> str:
    """Make text stand out on a terminal."""
    return click.style(text, bold=True)


def count(number: int, noun: str, plural: str = "") -> str:
    """`1 test`, `2 tests`, `3 entries`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {plural or noun + 's'}"


def tally(counts: Sequence[tuple[str, int]]) -> str:
    """`3 linked, 2 orphan`, leaving out zeros."""
    return ", ".join(f"{number:,} {name.replace('_', ' ')}" for name, number in counts if number)


def line_of(path: str) -> str:
    """A path on one line: the names of files may hold line breaks, which would look like further lines of ours."""
    return path.replace("\n", "\\n").replace("\r", "\\r") if "\n" in path or "\r" in path else path


def place_of(path: str, line: int) -> str:
    """A path on one line, with the number of the line where there is one."""
    return f"{line_of(path)}:{line}" if line else line_of(path)
