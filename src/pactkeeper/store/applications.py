"""What was applied and taken back: one row for every op of a journal entry, and one for every undo.

A journal counts its entries from 1 in every clone, so an entry is known here by its time and number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sqlalchemy import ColumnElement, Connection, select, tuple_

from pactkeeper.store.bulk import chunks, insert_new
from pactkeeper.store.history import History
from pactkeeper.store.tables import APPLICATIONS, UNDOS


def entry_name(number: int, at: str) -> str:
    """What a journal entry is called in a history that several clones share."""
    return f"{at}#{number}"


def note_applied(history: History, entry: str, patch: str, op_ids: Iterable[str], *, at: str) -> None:
    """Note that a journal entry applied these ops; the same entry again changes nothing."""
    row = {"repository": history.repository, "entry": entry, "patch": patch, "applied_at": at}
    with history.database.begin() as connection:
        insert_new(connection, APPLICATIONS, ({**row, "op": op} for op in op_ids))


def unnoted(history: History, entries: Iterable[tuple[str, str]]) -> frozenset[str]:
    """Of journal entries, each with one of its ops, those that are not noted yet."""
    wanted = tuple(entries)
    noted: set[str] = set()
    with history.database.read() as connection:
        for chunk in chunks(wanted):
            here = tuple_(APPLICATIONS.c.entry, APPLICATIONS.c.op).in_(chunk)
            query = select(APPLICATIONS.c.entry).where(APPLICATIONS.c.repository == history.repository, here)
            noted |= set(connection.execute(query).scalars())
    return frozenset(entry for entry, _ in wanted if entry not in noted)


def undone_entries(history: History) -> frozenset[tuple[str, str]]:
    """Every entry that was taken back, with the one that did."""
    query = select(UNDOS.c.entry, UNDOS.c.by_entry).where(UNDOS.c.repository == history.repository)
    with history.database.read() as connection:
        return frozenset((entry, by) for entry, by in connection.execute(query))


def note_undone(history: History, entry: str, by_entry: str, *, at: str) -> None:
    """Note that `by_entry` took an entry back; where that entry was an undo itself, what it took back holds again."""
    row = {"repository": history.repository, "entry": entry, "by_entry": by_entry, "undone_at": at}
    with history.database.begin() as connection:
        insert_new(connection, UNDOS, [row])


def applied_ops(history: History) -> frozenset[str]:
    """The ids of all ops that were applied and not taken back since."""
    with history.database.read() as connection:
        return applied_in(connection, history)


def applied_in(connection: Connection, history: History, *, of: Sequence[str] | None = None) -> frozenset[str]:
    """`applied_ops`, within a transaction; those `of` these ids, where some are given."""
    gone = _taken_back(connection, history)
    query = select(APPLICATIONS.c.op, APPLICATIONS.c.entry).where(APPLICATIONS.c.repository == history.repository)
    asked = [query] if of is None else [query.where(APPLICATIONS.c.op.in_(chunk)) for chunk in chunks(of)]
    return frozenset(op for one in asked for op, entry in connection.execute(one) if entry not in gone)


def is_applied(connection: Connection, history: History, op: ColumnElement[str]) -> ColumnElement[bool]:
    """For a query in this transaction: whether an op was applied and not taken back since."""
    a, gone = APPLICATIONS.c, _taken_back(connection, history)
    return select(a.op).where(a.repository == history.repository, a.op == op, a.entry.not_in(gone)).exists()


def _taken_back(connection: Connection, history: History) -> frozenset[str]:
    """The entries that do not hold: taken back by one that holds."""
    query = select(UNDOS.c.entry, UNDOS.c.by_entry).where(UNDOS.c.repository == history.repository)
    takers: dict[str, list[str]] = {}
    for entry, by_entry in connection.execute(query):
        takers.setdefault(entry, []).append(by_entry)
    known: dict[str, bool] = {}
    return frozenset(entry for entry in takers if not _holds(entry, takers, known))


def _holds(entry: str, takers: Mapping[str, list[str]], known: dict[str, bool]) -> bool:
    """Whether no entry that holds took this one back; a later one takes back an earlier, so this ends."""
    if entry not in known:
        known[entry] = True
        known[entry] = not any(_holds(one, takers, known) for one in takers.get(entry, ()))
    return known[entry]
