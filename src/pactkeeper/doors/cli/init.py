"""`pk init`: start a pact."""

from __future__ import annotations

import sys
from shlex import quote

import click

from pactkeeper.catalog.schema import DEBT_FILE, SETTINGS_FILE
from pactkeeper.doors.cli.output import count, dim, mark, say
from pactkeeper.doors.cli.parameters import workspace
from pactkeeper.intent.folder import OWN, POINTER, USUAL
from pactkeeper.operators.adopt import Adopted, Started, adopt_annotations, start_pact
from pactkeeper.repo.snapshot import Snapshot


@click.command()
@click.option(
    "--adopt", is_flag=True, help="Create a draft atom for every id that annotations in the tests already name."
)
@click.option(
    "--folder", metavar="NAME", help="Where to keep it (default: pact, or .pactkeeper if another program uses pact)."
)
def command(*, adopt: bool, folder: str | None) -> int:
    """Start a pact: write its settings, and record every test that has no intent yet in its debt.txt.

    No test is changed, and `pk check` passes from the start; from then on, new tests need an intent.
    """
    with workspace() as (opened, _):
        if adopt and _is_started(opened.snapshot()):
            return _adopted(adopt_annotations(opened))
        started = start_pact(opened, folder)
        _print(started)
        if started.foreign and (adopt or _wanted(started.foreign)):
            return _adopted(adopt_annotations(opened))
    return 0


def _is_started(snapshot: Snapshot) -> bool:
    return snapshot.folder.path(DEBT_FILE) in snapshot


def _wanted(number: int) -> bool:
    """Whether to adopt the ids: ask at a terminal, otherwise print how."""
    ids = count(number, "atom")
    if sys.stdin is None or not sys.stdin.isatty():
        say(f"annotations name {ids} that are not in the pact; to create drafts for them: pk init --adopt")
        return False
    return click.confirm(f"Annotations name {ids} that are not in the pact. Create drafts for them?", default=True)


def _adopted(made: Adopted) -> int:
    say(f"adopted {count(len(made.atoms), 'atom')} as drafts, named by {count(made.tests, 'test')}")
    return 0


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
