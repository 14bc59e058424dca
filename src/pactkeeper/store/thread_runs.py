"""Where threads stand between their runs, and what each step of a run did."""

from __future__ import annotations

from collections import Counter
from typing import Final

from sqlalchemy import select

from pactkeeper.intent.thread_event import ThreadState, ThreadStep, document_of, read_state
from pactkeeper.store.bulk import insert, upsert
from pactkeeper.store.history import History
from pactkeeper.store.tables import THREAD_STATES, THREAD_STEPS

FAILED: Final = "failed"  # the node of a step that says which events were with a run that failed, and why
_s, _t = THREAD_STATES.c, THREAD_STEPS.c


def thread_state(history: History, thread: str) -> ThreadState:
    """Where a thread stands; the first state where it had no run yet."""
    query = select(_s.text).where(_s.repository == history.repository, _s.thread == thread)
    with history.database.read() as connection:
        text = connection.execute(query).scalar()
    return ThreadState() if text is None else read_state(text)


def save_state(history: History, thread: str, state: ThreadState) -> None:
    """Keep where a thread stands now."""
    row = {"repository": history.repository, "thread": thread, "text": document_of(state)}
    with history.database.begin() as connection:
        upsert(connection, THREAD_STATES, [row], key=("repository", "thread"))


def add_step(history: History, thread: str, step: ThreadStep) -> None:
    """Append a step; a node that ran again after a crash has two."""
    row = {"repository": history.repository, "thread": thread, **document_of(step)}
    with history.database.begin() as connection:
        insert(connection, THREAD_STEPS, [row])


def failures(history: History, thread: str) -> Counter[str]:
    """How often each event of a thread was with a run that failed."""
    query = select(_t.changed).where(_t.repository == history.repository, _t.thread == thread, _t.node == FAILED)
    with history.database.read() as connection:
        return Counter(name for changed in connection.execute(query).scalars() for name in changed["failed"])


def thread_steps(history: History, thread: str) -> tuple[ThreadStep, ...]:
    """Every step of every run of a thread, the first one first."""
    query = (
        select(_t.run, _t.node, _t.at, _t.milliseconds, _t.reason, _t.changed)
        .where(_t.repository == history.repository, _t.thread == thread)
        .order_by(_t.number)
    )
    with history.database.read() as connection:
        return tuple(ThreadStep(*row) for row in connection.execute(query))
