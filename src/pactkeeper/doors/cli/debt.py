"""`pk debt`: show, add and prune recorded debt."""

from __future__ import annotations

import click

from pactkeeper.doors.cli.groups import CommandGroup
from pactkeeper.doors.cli.output import count, dim, say
from pactkeeper.doors.cli.parameters import workspace


@click.group(cls=CommandGroup, default="list")
def command() -> None:
    """Show the tests that were there before the pact and still have no intent.

    Work removes lines; nothing adds them but `pk debt add --reason`.
    """


@command.command("list")
def list_command() -> None:
    """List the tests that are recorded as debt."""
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
    """Remove lines of tests that are linked by now or gone."""
    from pactkeeper.operators.adopt import change_debt  # noqa: PLC0415 - likewise

    with workspace() as (opened, _):
        change = change_debt(opened, "prune")
    say(f"removed {count(len(change.changed), 'line')}; {change.lines:,} now")
