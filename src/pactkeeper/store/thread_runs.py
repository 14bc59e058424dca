"""The state of threads between their runs, and what each step of a run did.

Also approved tickets, reserved before anything is written so that none is lost or created twice.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from sqlalchemy import select

from pactkeeper.intent.thread_event import ThreadState, ThreadStep, Ticket, document_of, read_state, read_ticket
from pactkeeper.store.history import History, insert, insert_new, upsert
from pactkeeper.store.tables import THREAD_STATES, THREAD_STEPS, THREAD_TICKETS

FAILED: Final = "failed"  # node of a step that records the events of a failed run and the reason
_s, _t = THREAD_STATES.c, THREAD_STEPS.c


def thread_state(history: History, thread: str) -> ThreadState:
    """Return the state of a thread; the initial state before its first run."""
    query = select(_s.text).where(_s.repository == history.repository, _s.thread == thread)
    with history.database.read() as connection:
        text = connection.execute(query).scalar()
    return ThreadState() if text is None else read_state(text)


def save_state(history: History, thread: str, state: ThreadState) -> None:
    """Store the current state of a thread."""
    row = {"repository": history.repository, "thread": thread, "text": document_of(state)}
    with history.database.begin() as connection:
        upsert(connection, THREAD_STATES, [row], key=("repository", "thread"))


def add_step(history: History, thread: str, step: ThreadStep) -> None:
    """Append a step; a node rerun after a crash has two."""
    row = {"repository": history.repository, "thread": thread, **document_of(step)}
    with history.database.begin() as connection:
        insert(connection, THREAD_STEPS, [row])


def failures(history: History, thread: str) -> Counter[str]:
    """Count the failed runs each event of a thread was part of."""
    query = select(_t.changed).where(_t.repository == history.repository, _t.thread == thread, _t.node == FAILED)
    with history.database.read() as connection:
        return Counter(name for changed in connection.execute(query).scalars() for name in changed["failed"])


def thread_steps(history: History, thread: str) -> tuple[ThreadStep, ...]:
    """Return every step of every run of a thread, oldest first."""
    query = (
        select(_t.run, _t.node, _t.at, _t.milliseconds, _t.reason, _t.changed)
        .where(_t.repository == history.repository, _t.thread == thread)
        .order_by(_t.number)
    )
    with history.database.read() as connection:
        return tuple(ThreadStep(*row) for row in connection.execute(query))


_UNFINISHED: Final = "unfinished"  # state of a written ticket that is still incomplete
WRITTEN: Final = ("created", _UNFINISHED)  # states of tickets that exist on their board
_tickets = THREAD_TICKETS.c


def reserve_ticket(history: History, ticket: Ticket) -> Ticket:
    """Reserve an approval before it is carried out; if its key is already reserved, return that one."""
    with history.database.begin() as connection:
        insert_new(connection, THREAD_TICKETS, [_row(history, ticket)])
        return next(one for one in tickets(history, ticket.thread) if one.key == ticket.key)


def save_ticket(history: History, ticket: Ticket) -> None:
    """Store the new state of a reserved ticket."""
    with history.database.begin() as connection:
        upsert(connection, THREAD_TICKETS, [_row(history, ticket)], key=("repository", "thread", "key"))


def tickets(history: History, thread: str) -> tuple[Ticket, ...]:
    """Return the ticket of a thread and later additions to it, in the order of approval."""
    query = (
        select(_tickets.text)
        .where(_tickets.repository == history.repository, _tickets.thread == thread)
        .order_by(_tickets.number)
    )
    with history.database.read() as connection:
        return tuple(read_ticket(text) for text in connection.execute(query).scalars())


def threads_to_finish(history: History) -> tuple[str, ...]:
    """Return the threads with an incomplete ticket."""
    query = (
        select(_tickets.thread)
        .where(_tickets.repository == history.repository, _tickets.state == _UNFINISHED)
        .order_by(_tickets.number)
    )
    with history.database.read() as connection:
        return tuple(dict.fromkeys(connection.execute(query).scalars()))


def _row(history: History, ticket: Ticket) -> dict[str, object]:
    return {
        "repository": history.repository,
        "thread": ticket.thread,
        "key": ticket.key,
        "state": _UNFINISHED if ticket.missing else ticket.state,
        "text": document_of(ticket),
    }
