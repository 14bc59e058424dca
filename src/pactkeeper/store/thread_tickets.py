"""Tickets that people approved, reserved before anything is written, so that none is lost or made twice."""

from __future__ import annotations

from typing import Final

from sqlalchemy import select

from pactkeeper.intent.thread_event import Ticket, document_of, read_ticket
from pactkeeper.store.bulk import insert_new, upsert
from pactkeeper.store.history import History
from pactkeeper.store.tables import THREAD_TICKETS

_UNFINISHED: Final = "unfinished"  # what a written ticket is filed under while it lacks something
WRITTEN: Final = ("created", _UNFINISHED)  # what tickets are filed under that stand on their board
_t = THREAD_TICKETS.c


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
    query = select(_t.text).where(_t.repository == history.repository, _t.thread == thread).order_by(_t.number)
    with history.database.read() as connection:
        return tuple(read_ticket(text) for text in connection.execute(query).scalars())


def threads_to_finish(history: History) -> tuple[str, ...]:
    """The threads with a ticket that lacks something that its approval is to bring about."""
    query = select(_t.thread).where(_t.repository == history.repository, _t.state == _UNFINISHED).order_by(_t.number)
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
