"""Options and setup shared by several commands."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

import click

from pactkeeper.doors.cli.output import note
from pactkeeper.errors import UsageError
from pactkeeper.personal import Personal, open_personal
from pactkeeper.settings import Environment
from pactkeeper.workspace import Workspace, open_workspace

Command = TypeVar("Command", bound=Callable[..., Any])
Opened = TypeVar("Opened")
Given = ParamSpec("Given")
Result = TypeVar("Result")


class Dollars(click.ParamType[int]):
    """An amount of US dollars such as `1.50`, converted to millionths."""

    name = "usd"

    def convert(self, value: str | int, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Convert the amount without rounding."""
        if isinstance(value, int):
            return value
        if re.fullmatch(r"\$?[0-9]{1,6}(\.[0-9]{1,6})?", value) is None:
            self.fail(f"{value!r} is not an amount in US dollars; write it like 1.50", param, ctx)
        whole, _, rest = value.removeprefix("$").partition(".")
        return int(whole) * 1_000_000 + int(rest.ljust(6, "0"))


DOLLARS = Dollars()
as_json = click.option("--json", "json_", is_flag=True, help="Print one JSON document on stdout.")
dry_run_option = click.option("--dry-run", is_flag=True, help="Only show what would change.")
diff_option = click.option("--diff", "whole", is_flag=True, help="Print the whole diff, however long.")
trust_option = click.option(
    "--trust-checks",
    "trust",
    flag_value="any",
    default="",
    help="Run what the commit declares without asking, this once.",
)
paths_argument = click.argument("paths", nargs=-1, metavar="[PATH]...")


def snapshot_options(command: Command) -> Command:
    """Add `--staged` and `--at REF`."""
    staged = click.option("--staged", is_flag=True, help="Look at the index instead of the working tree.")
    at = click.option("--at", metavar="REF", help="Look at a commit instead of the working tree.")
    return staged(at(command))


@contextmanager
def workspace(paths: tuple[str, ...] = ()) -> Iterator[tuple[Workspace, tuple[str, ...]]]:
    """Open the repository of the first path (or of `-C`), and make the paths relative to its root."""
    start = _started()
    for text in paths:
        if not (start / text).exists() and not (start / text).parent.exists():
            raise UsageError(f"there is no such path: {text!r}")
    place = _folder(start / paths[0]) if paths else start
    with _progress() as progress, open_workspace(place, notice=note, progress=progress) as opened:
        yield opened, opened.relative(paths, start=start)


def personal() -> AbstractContextManager[Personal]:
    """Open the person's own data, from any folder; `-C` must still name a folder."""
    _started()
    return open_personal(notice=note)


def in_workspace(
    work: Callable[Concatenate[Workspace, Given], Result], /, *args: Given.args, **given: Given.kwargs
) -> Result:
    """Do one thing in the repository around the current folder (or `-C`)."""
    with workspace() as (opened, _):
        return work(opened, *args, **given)


def within(
    opening: Callable[[], AbstractContextManager[Opened]],
    work: Callable[Concatenate[Opened, Given], Result],
    /,
    *args: Given.args,
    **given: Given.kwargs,
) -> Result:
    """Do one thing with what has to be opened for it."""
    with opening() as opened:
        return work(opened, *args, **given)


def attended(surroundings: Environment, *, shown: bool = False) -> bool:
    """Whether a person at a terminal can be asked; with `shown`, only if the terminal also shows the output."""
    streams = (sys.stdin, sys.stdout) if shown else (sys.stdin,)
    return not surroundings.ci and all(one is not None and one.isatty() for one in streams)


def _started() -> Path:
    """The folder that the command works in: the current one, or the one named by `-C`."""
    named: str = click.get_current_context().obj
    if not Path(named).is_dir():
        raise UsageError(f"-C {named!r} is no folder")
    return Path(named)


def _folder(place: Path) -> Path:
    while not place.is_dir():
        place = place.parent
    return place


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None] | None]:
    """Show a progress line on stderr while many files are read; yields None if stderr is not a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    line = _ProgressLine()
    try:
        yield line.show
    finally:
        line.clear()


class _ProgressLine:
    """One line redrawn in place, at most once per percent."""

    def __init__(self) -> None:
        self._shown = ""

    def show(self, done: int, total: int) -> None:
        width = 30
        filled = width * done // max(total, 1)
        text = f"reading {done:,} of {total:,} files [{'#' * filled}{'.' * (width - filled)}]"
        if done == total or text[: -width - 2] != self._shown[: -width - 2]:
            sys.stderr.write(f"\r{text}")
            sys.stderr.flush()
            self._shown = text

    def clear(self) -> None:
        if self._shown:
            sys.stderr.write(f"\r{' ' * len(self._shown)}\r")
            sys.stderr.flush()
