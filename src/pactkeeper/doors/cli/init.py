"""`pk init`, `pk debt` and `pk annotate`: start a pact, keep its debt, and choose where links stand."""

from __future__ import annotations

import sys
from shlex import quote
from typing import TYPE_CHECKING

import click

from pactkeeper.catalog.schema import DEBT_FILE, SETTINGS_FILE
from pactkeeper.doors.cli.groups import CommandGroup
from pactkeeper.doors.cli.output import count, dim, mark, say
from pactkeeper.doors.cli.parameters import dry_run_option, in_workspace, workspace
from pactkeeper.intent.folder import OWN, POINTER, USUAL

if TYPE_CHECKING:
    from pactkeeper.operators.adopt import Adopted, Carrier, Started


@click.command()
@click.option(
    "--adopt", is_flag=True, help="Create a draft atom for every id that annotations in the tests already name."
)
@click.option(
    "--folder", metavar="NAME", help="Where to keep it (default: pact, or .pactkeeper if another program uses pact)."
)
def command(*, adopt: bool, folder: str | None) -> None:
    """Start a pact: write its settings, and record every test that has no intent yet in its debt.txt.

    No test is changed, and `pk check` passes from the start; from then on, new tests need an intent.
    """
    from pactkeeper.operators.adopt import adopt_annotations, start_pact  # noqa: PLC0415 - not needed to list debt

    with workspace() as (opened, _):
        snapshot = opened.snapshot()
        if adopt and snapshot.folder.path(DEBT_FILE) in snapshot:
            _adopted(adopt_annotations(opened))
            return
        started = start_pact(opened, folder)
        _print(started)
        if started.foreign and (adopt or _wanted(started.foreign)):
            _adopted(adopt_annotations(opened))


def _wanted(number: int) -> bool:
    """Whether to adopt the ids: ask at a terminal, otherwise print how."""
    ids = count(number, "atom")
    if sys.stdin is None or not sys.stdin.isatty():
        say(f"annotations name {ids} that are not in the pact; to create drafts for them: pk init --adopt")
        return False
    return click.confirm(f"Annotations name {ids} that are not in the pact. Create drafts for them?", default=True)


def _adopted(made: Adopted) -> None:
    say(f"adopted {count(len(made.atoms), 'atom')} as drafts, named by {count(made.tests, 'test')}")


def _committed(root: str) -> str:
    return f"the folder {root}" if root in {USUAL, OWN} else f"the folder {root} and the file {POINTER}"


def _print(started: Started) -> None:
    say(f"started a pact for {count(started.tests, 'test')} in {count(started.files, 'file')}")
    debt, root = started.folder.path(DEBT_FILE), started.folder.root
    say(f"{debt} lists {count(started.debt, 'test')} without intent; commit {_committed(root)} with your code")
    if started.gaps:
        say(f"{mark('warning')} {count(started.gaps, 'place')} could not be read completely; pk scan lists them")
    if started.folders:
        say()
        say("Where to start, most tests first:")
        for folder, number in started.folders:
            say(f"  pk reconcile {quote(folder)}  {dim(f'({number:,})')}")
    elif not started.tests:
        place = started.folder.path(SETTINGS_FILE)
        say(f'No tests were found. If there are some, name them in {place}: [tests] include = ["…"]')


@click.group(cls=CommandGroup, default="list")
def debt_command() -> None:
    """Show the tests that predate the pact and still have no intent.

    Giving a test an intent removes its line; only `pk debt add --reason` adds lines.
    """


@debt_command.command("list")
def list_command() -> None:
    """List the tests recorded as debt."""
    with workspace() as (opened, _):
        lines = opened.pact(opened.snapshot(), required=True).debt.by_test
    for test in sorted(lines):
        say(test)
    say(dim(count(len(lines), "line")))


@debt_command.command()
@click.argument("tests", nargs=-1, required=True, metavar="TEST_OR_PATH...")
@click.option("--reason", required=True, help="Why these tests need no intent now; kept in the journal.")
def add(tests: tuple[str, ...], *, reason: str) -> None:
    """Record orphans as debt: tests by name, or all that are new in a file or folder."""
    from pactkeeper.operators.adopt import change_debt  # noqa: PLC0415 - likewise

    change = in_workspace(change_debt, "add", tests, reason=reason)
    say(f"added {count(len(change.changed), 'line')}; {change.lines:,} now")


@debt_command.command()
def prune() -> None:
    """Remove lines of tests that are linked or gone."""
    from pactkeeper.operators.adopt import change_debt  # noqa: PLC0415 - likewise

    change = in_workspace(change_debt, "prune")
    renamed = f"renamed {count(change.moved, 'line')}, " if change.moved else ""
    say(f"{renamed}removed {count(len(change.changed) - change.moved, 'line')}; {change.lines:,} now")


@click.command()
@click.argument("tests", nargs=-1, metavar="[TEST]...")
@click.option("--to", type=click.Choice(["comment", "sidecar"]), required=True, help="Where to put the links.")
@dry_run_option
def annotate_command(tests: tuple[str, ...], *, to: Carrier, dry_run: bool) -> None:
    """Move the links of TESTs (default: all) into comments above them, or from comments into the pact's links folder.

    Both places mean the same. TEST is a test id, `file:line`, a file or a folder. A link stays where it is, with a
    warning, if no comment can be placed or removed safely.
    """
    from pactkeeper.operators.adopt import convert_links  # noqa: PLC0415 - it can write, `pk debt` looks

    done = in_workspace(convert_links, tests, to, dry_run=dry_run)
    if dry_run:
        for line in done.diff():
            say(line)
    for test, reason in done.refused:
        say(f"{mark('warning')} {test} stays as it is: {reason}")
    verb = "would move" if dry_run else "moved"
    say(f"{verb} {count(done.moved, 'link')} in {count(len(done.edits), 'file')}")
