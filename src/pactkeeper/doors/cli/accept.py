"""`pk accept`: the shortcut for single tests."""

from __future__ import annotations

import sys

import click

from pactkeeper.doors.cli.apply import print_applied
from pactkeeper.doors.cli.parameters import as_json, diff_option, dry_run_option, workspace
from pactkeeper.operators.accept import AcceptedWords, accept_tests


@click.command()
@click.argument("tests", nargs=-1, metavar="[TEST]...")
@click.option("--atom", metavar="ID", help="Link the tests to this atom of the pact.")
@click.option("--intent", metavar="SENTENCE", help="Say in your own words what the test is for.")
@click.option("--moved", is_flag=True, help="Follow tests that moved, all of them where no TEST is named.")
@click.option("--weaker", is_flag=True, help="Confirm tests that prove less than was reviewed: less is meant.")
@click.option("--confirm", is_flag=True, help="Take an --intent that the test speaks against.")
@dry_run_option
@diff_option
@as_json
def command(  # noqa: PLR0913 - one argument per option
    tests: tuple[str, ...],
    *,
    atom: str | None,
    intent: str | None,
    moved: bool,
    weaker: bool,
    confirm: bool,
    dry_run: bool,
    whole: bool,
    json_: bool,
) -> None:
    """Give tests what they lack, in one step: a new atom, the confirmation of a link, or the atom that --atom names.

    TEST is a test id, `file:line`, a file or a folder. An --intent with a number, quotation or name that the test
    doesn't hold, or with an event that it doesn't show, is taken from a person at a terminal. A script or an agent
    needs --confirm for it.
    """
    if atom and intent:
        raise click.UsageError("--atom names an atom that exists and --intent words a new one; leave out one of them")
    if moved and (atom or intent):
        raise click.UsageError("--moved follows what was reviewed; leave out --atom and --intent")
    if not tests and not moved:
        raise click.UsageError("name a TEST: an id, `file:line`, a file or a folder")
    with workspace() as (opened, _):
        attended = not opened.surroundings.ci and not opened.acting and sys.stdin is not None and sys.stdin.isatty()
        words = AcceptedWords(atom, intent, moved, weaker, confirmed=confirm or attended)
        applied = accept_tests(opened, tests, words, dry_run=dry_run)
    print_applied(applied, json_=json_, whole=whole)
