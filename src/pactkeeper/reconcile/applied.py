"""What was applied here, as the journal of writes says; the history follows it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pactkeeper.catalog.journal import Entry, entries
from pactkeeper.store.applications import entry_name, note_applied, note_undone
from pactkeeper.store.history import History


def applied_ops(state: Path) -> frozenset[str]:
    """The ids of all ops that were applied in this clone and not undone since."""
    standing = (entry for entry in entries(state) if entry.undone_by is None and entry.undoes is None)
    return frozenset(name for entry in standing for name in ops_of(entry))


def ops_of(entry: Entry) -> Iterator[str]:
    """The ids of the ops that one write carried out."""
    listed = entry.metadata.get("ops")
    yield from (str(one) for one in (listed if isinstance(listed, list) else ()))


def follow_journal(history: History, state: Path) -> None:
    """Note in the history what the journal holds: a process may have died between the write and its note."""
    found = {entry.id: entry for entry in entries(state)}
    for entry in found.values():
        patch = entry.metadata.get("patch")
        if entry.undoes is not None and entry.undoes in found:
            undone = found[entry.undoes]
            note_undone(history, entry_name(undone.id, undone.at), entry_name(entry.id, entry.at), at=entry.at)
        elif isinstance(patch, str):
            note_applied(history, entry_name(entry.id, entry.at), patch, ops_of(entry), at=entry.at)
