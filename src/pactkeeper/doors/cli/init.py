"""`pk init`: start a pact."""

from __future__ import annotations

import sys
from shlex import quote

import click

from pactkeeper.catalog.schema import DEBT_FILE
from pactkeeper.doors.cli.output import count, dim, mark, say
from pactkeeper.doors.cli.parameters import workspace
from pactkeeper.operators.adopt import Started, start_pact
from pactkeeper.operators.adopting import Adopted, adopt_annotations


@click.command()
@click.option("--adopt", is_flag=True, help="Make a draft atom of every id that annotations in the tests name already.")
@click.pass_context
def command(ctx: click.Context, *, adopt: bool) -> int:
    """Start a pact: write pact/pact.toml, and list every test that has no intent yet in pact/debt.txt.

    No test is touched, and `pk check` passes from the first minute on; new tests have to say what they are for.
    """
    with workspace(ctx) as (opened, _):
        if adopt and DEBT_FILE in opened.snapshot():
            return _adopted(adopt_annotations(opened))
        started = start_pact(opened)
        _print(started)
        if started.foreign and (adopt or _wanted(started.foreign)):
            return _adopted(adopt_annotations(opened))
    return 0


def _wanted(number: int) -> bool:
    """Whether a person at a terminal wants the ids adopted; anybody else is told how."""
    ids = count(number, "atom")
    if sys.stdin is None or not sys.stdin.isatty():
        say(f"annotations name {ids} that the pact does not have; to make drafts of them: pk init --adopt")
        return False
    return click.confirm(f"Annotations name {ids} that the pact does not have. Make drafts of them?", default=True)


def _adopted(made: Adopted) -> int:
    say(f"adopted {count(len(made.atoms), 'atom')} as drafts, named by {count(made.tests, 'test')}")
    return 0


def _print(started: Started) -> None:
    say(f"started a pact over {count(started.tests, 'test')} in {count(started.files, 'file')}")
    say(f"pact/debt.txt lists {count(started.debt, 'test')} without intent; commit the folder pact/ with your code")
    if started.gaps:
        say(f"{mark('warning')} {count(started.gaps, 'place')} could not be seen completely; pk scan lists them")
    if started.folders:
        say()
        say("A place to start, most tests first:")
        for folder, number in started.folders:
            say(f"  pk reconcile {quote(folder)}  {dim(f'({number:,})')}")
    elif not started.tests:
        say('No tests were found. If there are some, pact/pact.toml can name them: [tests] include = ["…"]')
