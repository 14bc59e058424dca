"""The verbs that write: apply a patch, take an apply back, settle an interrupted write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pactkeeper.catalog.journal import Entry
from pactkeeper.catalog.transaction import Note, set_aside, settle, undo
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.decision import Decision
from pactkeeper.ledger.patch import Patch
from pactkeeper.reconcile import applying
from pactkeeper.reconcile.applying import Applied
from pactkeeper.workspace import Workspace


def apply_patch(
    workspace: Workspace,
    patch: Patch,
    decisions: Sequence[Decision],
    *,
    skip_stale: bool = False,
    dry_run: bool = False,
) -> Applied:
    """Apply the accepted ops of a patch; see `reconcile.applying`."""
    return applying.apply_patch(workspace, patch, decisions, skip_stale=skip_stale, dry_run=dry_run)


@dataclass(frozen=True, slots=True)
class Undone:
    """What was taken back: the journal entry that did it, None where nothing was left of the apply."""

    entry: Entry | None


def undo_apply(workspace: Workspace, *, entry_id: int | None = None) -> Undone:
    """Take the latest apply that still stands (or the named one) back."""
    metadata: Mapping[str, JsonValue] = {"verb": "undo"}
    note = Note(workspace.now().isoformat(timespec="seconds"), metadata)
    return Undone(undo(workspace.place, note, entry_id=entry_id))


def settle_write(workspace: Workspace, *, aside: bool = False) -> str:
    """Finish or roll back an interrupted write, or set it aside; says in a word what was done."""
    if aside:
        return "nothing to settle" if set_aside(workspace.place) is None else "set aside"
    return settle(workspace.place) or "nothing to settle"
