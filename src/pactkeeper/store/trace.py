"""The trace of a run: each visit of a node, with how long it took and what it counted."""

from __future__ import annotations

from sqlalchemy import select

from pactkeeper.ledger.run import TraceEvent
from pactkeeper.store.bulk import upsert
from pactkeeper.store.history import History
from pactkeeper.store.runs import number_of
from pactkeeper.store.tables import RUNS, TRACE


def add_event(history: History, event: TraceEvent) -> None:
    """Store one event; a later one of the same run and sequence replaces it: the node was visited again.

    Raises InputError for an unknown run.
    """
    with history.database.begin() as connection:
        row = {
            "run": number_of(connection, history, event.run),
            "sequence": event.sequence,
            "node": event.node,
            "at": event.at,
            "milliseconds": event.milliseconds,
            "counts": event.counts,
            "note": event.note,
        }
        upsert(connection, TRACE, [row], key=("run", "sequence"))


def trace_of(history: History, run: str) -> tuple[TraceEvent, ...]:
    """The events of a run in sequence; none where the history has no such run."""
    t = TRACE.c
    query = (
        select(t.sequence, t.node, t.at, t.milliseconds, t.counts, t.note)
        .join(RUNS, RUNS.c.number == t.run)
        .where(RUNS.c.repository == history.repository, RUNS.c.id == run)
        .order_by(t.sequence)
    )
    with history.database.read() as connection:
        return tuple(TraceEvent(run, *row) for row in connection.execute(query))
