"""Report an apply: the diff or its size by file, what was left out and why, and how to undo it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import click

from pactkeeper.catalog.journal import FileEdit
from pactkeeper.doors.cli.output import count, dim, document, mark, say
from pactkeeper.published.ops import APPLIED
from pactkeeper.reconcile.applying import Applied, file_diff

SHORT_DIFF: Final = 24  # lines; a longer diff is summarised by file
MOST_FILES: Final = 12
COLOURS = {"+": "green", "-": "red", "@": "cyan"}


def print_applied(applied: Applied, *, json_: bool = False, whole: bool = True) -> None:
    """Print an apply or a dry run; a long diff is printed only if `whole`."""
    if json_:
        document(APPLIED(applied), "applied/1")
        return
    diff = list(applied.diff())
    if whole or len(diff) <= SHORT_DIFF:
        print_diff(diff)
    else:
        _print_sizes(applied, len(diff))
    for test, reason in applied.refused:
        say(f"{mark('warning')} {test}: linked in pact/links, since its comment could not be changed: {reason}")
    for skipped in applied.planned.skipped:
        say(f"{mark('warning')} skipped {skipped.op.id} {skipped.op.verb}: {skipped.reason}")
    _print_summary(applied)


def print_diff(diff: Iterable[str]) -> None:
    """Print a diff, coloured."""
    for line in diff:
        colour = COLOURS.get(line[:1]) if not line.startswith(("+++", "---")) else None
        say(click.style(line, fg=colour) if colour else line)


def _print_sizes(applied: Applied, lines: int) -> None:
    """Print how many lines each file gains and loses, largest change first, and how to see the diff."""
    sizes = [(edit.path, *_size(edit)) for edit in applied.edits]
    sizes.sort(key=lambda one: (-one[1] - one[2], one[0]))
    for path, gained, lost in sizes[:MOST_FILES]:
        say(f"  {path}  {click.style(f'+{gained}', fg='green')} {click.style(f'-{lost}', fg='red')}")
    if len(sizes) > MOST_FILES:
        say(dim(f"  … and {count(len(sizes) - MOST_FILES, 'more file')}"))
    new = any(edit.before is None for edit in applied.edits)
    written = "git add -N, then git diff" if new else "git diff"
    say(dim(f"{lines:,} lines of diff: {'--diff' if applied.entry is None else written} prints them"))


def _size(edit: FileEdit) -> tuple[int, int]:
    changed = [line[0] for line in list(file_diff(edit))[2:] if line[:1] in {"+", "-"}]
    return changed.count("+"), changed.count("-")


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
    """Print the remaining step for each announced successor: the old committed atom holds until then."""
    for op in applied.planned.ops:
        if op.verb == "markAtomSuperseded":
            old, new = op.payload["oldAtomId"], op.payload["newAtomId"]
            say(f"{new} replaces {old} as soon as it is as firm: pk commit {new}")
