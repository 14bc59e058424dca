"""`pk undo`: take an apply back."""

from __future__ import annotations

import click

from pactkeeper.doors.cli.output import count, say
from pactkeeper.doors.cli.parameters import workspace
from pactkeeper.operators import call
from pactkeeper.operators.apply import Undone


@click.command()
@click.argument("entry", type=int, required=False)
@click.pass_context
def command(ctx: click.Context, entry: int | None) -> int:
    """Take the last write back, or the journal entry ENTRY; files get exactly the bytes they had.

    A file that changed since keeps the later change where the two do not touch the same lines; where they do, nothing
    is undone and the files are named.
    """
    with workspace(ctx) as (opened, _):
        undone: Undone = call("undo_apply", opened, entry_id=entry)
    if undone.entry is None:
        say("nothing was left of it")
    else:
        say(f"undone: {count(len(undone.entry.paths), 'file')} as before")
    return 0
