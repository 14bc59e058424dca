"""Where threads stand between their runs, and what each step of a run did.

Tickets that people approved, reserved before anything is written, so that none is lost or made twice.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from sqlalchemy import select

from pactkeeper.intent.thread_event import ThreadState, ThreadStep, Ticket, document_of, read_state, read_ticket
from pactkeeper.store.history import History, insert, insert_new, upsert
from pactkeeper.store.tables import THREAD_STATES, THREAD_STEPS, THREAD_TICKETS

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


_UNFINISHED: Final = "unfinished"  # what a written ticket is filed under while it lacks something
WRITTEN: Final = ("created", _UNFINISHED)  # what tickets are filed under that stand on their board
_tickets = THREAD_TICKETS.c


def reserve_ticket(history: History, ticket: Ticket) -> Ticket:
    """Keep an approval before it is carried out; where its key is reserved already, that one is given back."""
    with history.database.begin() as connection:
        insert_new(connection, THREAD_TICKETS, [_row(history, ticket)])
        return next(one for one in tickets(history, ticket.thread) if one.key == ticket.key)


def save_ticket(history: History, ticket: Ticket) -> None:
    """Keep what became of a reserved ticket."""
    with history.database.begin() as connection:
        upsert(connection, THREAD_TICKETS, [_row(history, ticket)], key=("repository", "thread", "key"))


def tickets(history: History, thread: str) -> tuple[Ticket, ...]:
    """The ticket of a thread and what was added to it later, in the order of their approvals."""
    query = (
        select(_tickets.text)
        .where(_tickets.repository == history.repository, _tickets.thread == thread)
        .order_by(_tickets.number)
    )
    with history.database.read() as connection:
        return tuple(read_ticket(text) for text in connection.execute(query).scalars())


def threads_to_finish(history: History) -> tuple[str, ...]:
    """The threads with a ticket that lacks something that its approval is to bring about."""
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
