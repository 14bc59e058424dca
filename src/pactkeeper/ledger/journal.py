"""The journal: what was applied, with the value before, so that everything can be taken back and nothing happens twice.

Only ever appended to. A value is JSON; None stands for a node that is not there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from pactkeeper.errors import StaleError
from pactkeeper.ledger.canonical import JsonValue, digest
from pactkeeper.ledger.op import Op
from pactkeeper.ledger.selection import Skipped, stale_message, stale_reason

State = Mapping[str, JsonValue]
Effect = Callable[[Op, JsonValue], JsonValue]


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One change of one node; `batch` numbers what was applied together, `undoes` the entry that this takes back."""

    number: int
    batch: int
    op: str
    target: str
    before: JsonValue
    after: JsonValue
    undoes: int | None = None


Journal = tuple[JournalEntry, ...]


def node_hash(value: JsonValue) -> str | None:
    """The digest that a precondition names: None for a node that is not there."""
    return None if value is None else digest(value)


def live(journal: Journal) -> Journal:
    """The entries that were applied and not taken back, oldest first."""
    gone = {entry.undoes for entry in journal if entry.undoes is not None}
    return tuple(entry for entry in journal if entry.undoes is None and entry.number not in gone)


def last_batch(journal: Journal) -> Journal:
    """The live entries of the latest batch that has any: what an undo without further words takes back."""
    entries = live(journal)
    return tuple(entry for entry in entries if entry.batch == entries[-1].batch)


def apply_ops(
    state: State, ops: Sequence[Op], journal: Journal, *, effect: Effect
) -> tuple[dict[str, JsonValue], Journal]:
    """Apply all ops or none; `effect` gives a node's new value from the op and the value so far.

    An op that is live in the journal is passed over. Raises StaleError naming every op whose target is not what its
    precondition says at the start of the batch.
    """
    done = {entry.op for entry in live(journal)}
    todo = [op for op in ops if op.id not in done]
    hashes = {op.target: node_hash(state.get(op.target)) for op in todo}
    stale = [op for op in todo if hashes[op.target] != op.precondition]
    if stale:
        raise StaleError(stale_message(Skipped(op, stale_reason(op, hashes[op.target])) for op in stale))
    changed = dict(state)
    batch = 1 + max((entry.batch for entry in journal), default=0)
    entries: list[JournalEntry] = []
    for number, op in enumerate(todo, start=len(journal)):
        before = changed.get(op.target)
        after = effect(op, before)
        entries.append(JournalEntry(number, batch, op.id, op.target, before, after))
        _put(changed, op.target, after)
    return changed, (*journal, *entries)


def undo(state: State, journal: Journal, entries: Iterable[JournalEntry]) -> tuple[dict[str, JsonValue], Journal]:
    """Take entries back, latest first, all or none.

    Raises StaleError naming every entry that is not live, or whose node no longer has the value that it was given.
    """
    alive = {entry.number for entry in live(journal)}
    latest_first = sorted(entries, key=lambda one: one.number, reverse=True)
    changed = dict(state)
    problems: list[str] = []
    batch = 1 + max((entry.batch for entry in journal), default=0)
    undone: list[JournalEntry] = []
    for number, entry in enumerate(latest_first, start=len(journal)):
        if entry.number not in alive:
            problems.append(f"  {entry.op}: taken back already, or never applied")
        elif node_hash(changed.get(entry.target)) != node_hash(entry.after):
            problems.append(f"  {entry.op}: {entry.target} has changed since it was applied")
        undone.append(JournalEntry(number, batch, entry.op, entry.target, entry.after, entry.before, entry.number))
        _put(changed, entry.target, entry.before)
    if problems:
        raise StaleError("nothing was undone; take back the later changes first\n" + "\n".join(problems))
    return changed, (*journal, *undone)


def _put(state: dict[str, JsonValue], target: str, value: JsonValue) -> None:
    if value is None:
        state.pop(target, None)
    else:
        state[target] = value
