"""`pk undo`: undo an apply, or one action on a board."""

from __future__ import annotations

import click

from pactkeeper.catalog.journal import WriteEntry
from pactkeeper.doors.cli.output import count, say
from pactkeeper.doors.cli.parameters import personal, workspace
from pactkeeper.errors import UsageError
from pactkeeper.operators.apply import undo_apply
from pactkeeper.operators.decision_log import told_write
from pactkeeper.operators.standup import undo_action

ACTION = "op-"


@click.command()
@click.argument("what", default="", metavar="[ENTRY|ACTION]")
def command(what: str) -> None:
    """Take the last write to the repository back, or the journal entry ENTRY, or the ACTION done on a board.

    Files of the repository get exactly the bytes they had; one that changed since keeps the later change where the two
    do not touch the same lines, and where they do nothing is undone and the files are named. An action is named as
    `pk transcripts standup` names it (op-...) and works in any folder; what somebody changed since is left alone.
    """
    if what.startswith(ACTION):
        with personal() as opened:
            deed = undo_action(opened, what)
        board = f" on {deed.action.board}" if deed.action.board else ""
        say(f"undone: {deed.action.verb}{board}; it is not proposed again from this conversation")
        return
    entry = _entry(what)
    with workspace() as (repository, _):
        undone = undo_apply(repository, entry_id=entry)
    if undone.write is not None:
        say(_line(undone.write))
    if undone.entry is None or not undone.entry.paths:
        say("nothing was left of it")
    else:
        say(f"undone: {count(len(undone.entry.paths), 'file')} as before")


def _line(write: WriteEntry) -> str:
    """A write in one line: its number, time, effect and author."""
    told = told_write(write)
    what = " ".join(part for part in (told.what, told.subject) if part)
    by = f", by {told.by}" if told.by else ""
    return f"write {write.id} of {told.at[:16].replace('T', ' ')}: {what}{by}"


def _entry(what: str) -> int | None:
    if what and not what.isdecimal():
        raise UsageError(f"{what!r} is neither an entry of the journal (a number) nor an action (op-...)")
    return int(what) if what else None
