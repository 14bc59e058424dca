"""What the full-screen review does apart from decisions: show the diff, apply, and undo."""

from __future__ import annotations

from pactkeeper.doors.cli.output import count
from pactkeeper.doors.cli.review_screen import Fragment
from pactkeeper.operators.apply import apply_patch, next_undo, undo_apply
from pactkeeper.operators.sitting import Sitting
from pactkeeper.workspace import Workspace


def diff(opened: Workspace, sitting: Sitting) -> tuple[Fragment, ...]:
    """The diff of applying the current decisions; ops that changed since they were shown are named and left out."""
    held = tuple(sitting.held.values())
    applied = apply_patch(opened, sitting.pending.patch, held, skip_stale=True, dry_run=True)
    skipped = [("class:unsure", f"left out: {one.op.group}: {one.reason}") for one in applied.planned.skipped]
    lines = [(_style(line), line) for line in applied.diff()]
    return (*skipped, *lines) or (("", "nothing is accepted yet, so nothing would change"),)


def _style(line: str) -> str:
    if line.startswith(("+++", "---")):
        return "class:name"
    return {"+": "class:come", "-": "class:gone", "@": "class:edited"}.get(line[:1], "")


def apply(opened: Workspace, sitting: Sitting) -> str:
    """Write what is accepted, all or nothing; returns a message."""
    applied = apply_patch(opened, sitting.pending.patch, tuple(sitting.held.values()))
    if applied.entry is None:
        return "nothing accepted is left to apply"
    return f"applied {count(len(applied.planned.ops), 'op')} in {count(len(applied.edits), 'file')}; U reverts it"


def undo_question(opened: Workspace) -> str:
    """The question to confirm before a write is undone."""
    entry = next_undo(opened)
    return f"undo the write of {entry.at[:16].replace('T', ' ')} to {count(len(entry.paths), 'file')}?"


def undo(opened: Workspace, _: Sitting) -> str:
    """Undo the latest write; returns a message."""
    return "undid the apply" if undo_apply(opened).entry else "there is nothing left to undo"
