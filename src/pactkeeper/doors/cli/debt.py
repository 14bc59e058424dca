"""`pk debt` and `pk annotate`: recorded debt, and where links stand: in test comments or in the pact."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pactkeeper.doors.cli.groups import CommandGroup
from pactkeeper.doors.cli.output import count, dim, mark, say
from pactkeeper.doors.cli.parameters import dry_run_option, workspace

if TYPE_CHECKING:
    from pactkeeper.operators.adopt import Carrier


@click.group(cls=CommandGroup, default="list")
def command() -> None:
    """Show the tests that predate the pact and still have no intent.

    Giving a test an intent removes its line; only `pk debt add --reason` adds lines.
    """


@command.command("list")
def list_command() -> None:
    """List the tests recorded as debt."""
    with workspace() as (opened, _):
        lines = opened.pact(opened.snapshot(), required=True).debt.by_test
    for test in sorted(lines):
        say(test)
    say(dim(count(len(lines), "line")))


@command.command()
@click.argument("tests", nargs=-1, required=True, metavar="TEST...")
@click.option("--reason", required=True, help="Why these tests need no intent now; kept in the journal.")
def add(tests: tuple[str, ...], *, reason: str) -> None:
    """Record orphans as debt."""
    from pactkeeper.operators.adopt import change_debt  # noqa: PLC0415 - not needed for the list

    with workspace() as (opened, _):
        change = change_debt(opened, "add", tests, reason=reason)
    say(f"added {count(len(change.changed), 'line')}; {change.lines:,} now")


@command.command()
def prune() -> None:
    """Remove lines of tests that are linked or gone."""
    from pactkeeper.operators.adopt import change_debt  # noqa: PLC0415 - likewise

    with workspace() as (opened, _):
        change = change_debt(opened, "prune")
    say(f"removed {count(len(change.changed), 'line')}; {change.lines:,} now")


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

    with workspace() as (opened, _):
        done = convert_links(opened, tests, to, dry_run=dry_run)
    if dry_run:
        for line in done.diff():
            say(line)
    for test, reason in done.refused:
        say(f"{mark('warning')} {test} stays as it is: {reason}")
    verb = "would move" if dry_run else "moved"
    say(f"{verb} {count(done.moved, 'link')} in {count(len(done.edits), 'file')}")
