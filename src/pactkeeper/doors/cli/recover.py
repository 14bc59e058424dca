"""`pk recover`: finish or roll back an interrupted write."""

from __future__ import annotations

import click

from pactkeeper.doors.cli.output import say
from pactkeeper.doors.cli.parameters import workspace
from pactkeeper.operators.apply import settle_write


@click.command()
@click.option("--set-aside", "aside", is_flag=True, help="Leave every file as it is and close the journal entry.")
def command(*, aside: bool) -> None:
    """Finish an interrupted write, or roll it back where no file had changed yet.

    Every command that writes does this first; commands that only read stop and say so.
    """
    with workspace() as (opened, _):
        say(settle_write(opened, aside=aside))
