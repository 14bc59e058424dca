"""How an apply is reported: the diff, what was left out and why, and how to take it back."""

from __future__ import annotations

from collections.abc import Iterable

import click

from pactkeeper.doors.cli.output import count, dim, document, mark, say
from pactkeeper.published.applied import applied_document
from pactkeeper.reconcile.applying import Applied

MOST_DIFF_LINES = 200
COLOURS = {"+": "green", "-": "red", "@": "cyan"}


def print_applied(applied: Applied, *, json_: bool = False) -> None:
    """Print an apply or a dry run."""
    if json_:
        document(applied_document(applied))
        return
    print_diff(applied.diff())
    for test, reason in applied.refused:
        say(f"{mark('warning')} {test}: linked in pact/links, since its comment could not be changed: {reason}")
    for skipped in applied.planned.skipped:
        say(f"{mark('warning')} skipped {skipped.op.id} {skipped.op.verb}: {skipped.reason}")
    _print_summary(applied)


def print_diff(diff: Iterable[str]) -> None:
    """Print the first lines of a diff, coloured, and how many more there are."""
    lines = list(diff)
    for line in lines[:MOST_DIFF_LINES]:
        colour = COLOURS.get(line[:1]) if not line.startswith(("+++", "---")) else None
        say(click.style(line, fg=colour) if colour else line)
    if len(lines) > MOST_DIFF_LINES:
        say(dim(f"… and {len(lines) - MOST_DIFF_LINES:,} more lines of diff"))


def _print_summary(applied: Applied) -> None:
    planned = applied.planned
    done = f"{count(len(planned.ops), 'op')} in {count(len(applied.edits), 'file')}"
    if applied.entry is not None:
        rejected = f"; {count(len(applied.rejected), 'op')} rejected and remembered" if applied.rejected else ""
        say(f"applied {done}{rejected}; pk undo takes it back")
        _print_successors(applied)
    elif applied.edits:
        say(f"dry run: {done} would change; nothing was written")
    else:
        already = f"; {count(len(planned.already), 'op')} applied before" if planned.already else ""
        say(f"nothing to write{already}")


def _print_successors(applied: Applied) -> None:
    """Say what is left to do where an op announced a successor: a committed atom holds until that one is committed."""
    for op in applied.planned.ops:
        if op.verb == "markAtomSuperseded":
            old, new = op.payload["oldAtomId"], op.payload["newAtomId"]
            say(f"{new} replaces {old} as soon as it is as firm: pk commit {new}")
