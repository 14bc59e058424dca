"""Timers: rows due at a certain time, each handled by exactly one tick."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlalchemy import select, update

from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.store.columns import instant
from pactkeeper.store.history import History, insert_new
from pactkeeper.store.tables import TIMERS


@dataclass(frozen=True, slots=True)
class Timer:
    """Something due at a time (ISO 8601 with offset): its kind says what to do, its subject to what."""

    id: str
    kind: str
    subject: str
    due_at: str
    payload: Mapping[str, JsonValue] = field(default_factory=dict)


def add_timer(history: History, timer: Timer) -> None:
    """Set a timer; an existing one with the same id, pending or done, is left alone."""
    row = {
        "repository": history.repository,
        "id": timer.id,
        "kind": timer.kind,
        "subject": timer.subject,
        "due_at": instant(timer.due_at),
        "payload": timer.payload,
        "done_at": "",
    }
    with history.database.begin() as connection:
        insert_new(connection, TIMERS, [row])


def due(history: History, *, now: str) -> tuple[Timer, ...]:
    """Return the timers that are due, longest overdue first; their times are in UTC."""
    t = TIMERS.c
    query = (
        select(t.id, t.kind, t.subject, t.due_at, t.payload)
        .where(t.repository == history.repository, t.done_at == "", t.due_at <= instant(now))
        .order_by(t.due_at, t.id)
    )
    with history.database.read() as connection:
        return tuple(Timer(*row) for row in connection.execute(query))


def advance(history: History, timer: Timer, *, at: str) -> bool:
    """Mark a timer as done; return False if another tick has already done so.

    Only the caller that gets True carries out what the timer asks for.
    """
    t = TIMERS.c
    change = update(TIMERS).where(
        t.repository == history.repository,
        t.id == timer.id,
        t.due_at == instant(timer.due_at),
        t.done_at == "",
    )
    with history.database.begin() as connection:
        return bool(connection.execute(change.values(done_at=instant(at))).rowcount)
