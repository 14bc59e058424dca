"""`pk init`: start a pact."""

from __future__ import annotations

from shlex import quote

import click

from pactkeeper.doors.cli.output import count, dim, mark, say
from pactkeeper.doors.cli.parameters import workspace
from pactkeeper.operators import call
from pactkeeper.operators.adopt import Started


@click.command()
@click.pass_context
def command(ctx: click.Context) -> int:
    """Start a pact: write pact/pact.toml, and list every test that has no intent yet in pact/debt.txt.

    No test is touched, and `pk check` passes from the first minute on; new tests have to say what they are for.
    """
    with workspace(ctx) as (opened, _):
        started: Started = call("start_pact", opened)
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
    return 0
