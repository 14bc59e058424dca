"""Threads: messages stored once each, all draft versions, questions asked, and the constraints they left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Final

from sqlalchemy import Connection, Select, bindparam, delete, exists, func, select, update

from pactkeeper.errors import InputError, StaleError
from pactkeeper.intent.thread_event import ThreadState, ThreadStep, Ticket, read_state, read_ticket
from pactkeeper.intent.ticket import (
    AcceptedConstraint,
    Ask,
    Draft,
    DraftTitle,
    Thread,
    ThreadMessage,
    draft_document,
    read_draft,
    read_said,
    sides_of,
)
from pactkeeper.intent.ticket_patch import DraftPatch, key_name
from pactkeeper.ledger.canonical import fields_of, from_fields
from pactkeeper.store.columns import from_row
from pactkeeper.store.history import OWN, History, insert, insert_new, upsert
from pactkeeper.store.tables.conversations import (
    THREAD_ASKS,
    THREAD_CONSTRAINTS,
    THREAD_DRAFTS,
    THREAD_MESSAGES,
    THREAD_STATES,
    THREAD_STEPS,
    THREAD_TICKETS,
    THREAD_TITLES,
    THREADS,
)

_t, _m, _d, _a, _c = THREADS.c, THREAD_MESSAGES.c, THREAD_DRAFTS.c, THREAD_ASKS.c, THREAD_CONSTRAINTS.c
_i, _k = THREAD_TITLES.c, THREAD_TICKETS.c
OPEN: Final = ""  # value of `closed_at` for a question that is still open


def open_thread(history: History, thread: Thread) -> None:
    """Store a thread; a known one is left alone."""
    with history.database.begin() as connection:
        insert_new(connection, THREADS, [history.row(THREADS, thread)])


def threads(history: History) -> tuple[Thread, ...]:
    """Return every thread in the order opened."""
    query = select(THREADS).where(_t.repository == history.repository).order_by(_t.number)
    return tuple(from_row(Thread, row) for row in history.database.rows(query))


def find_thread(history: History, name: str) -> Thread:
    """Return a thread by id; raises InputError if there is none."""
    query = select(THREADS).where(_t.repository == history.repository, _t.id == name)
    row = history.database.first(query)
    if row is None:
        raise unknown_thread(name)
    return from_row(Thread, row)


def unknown_thread(name: str) -> InputError:
    """The error for an id that no thread has."""
    return InputError(f"the history has no thread {name!r}; see what there is with: pk thread list")


def add_messages(history: History, messages: Iterable[ThreadMessage]) -> int:
    """Store messages whose ids their thread doesn't have yet; return how many were new."""
    with history.database.begin() as connection:
        before = _messages_kept(connection, history)
        insert_new(
            connection, THREAD_MESSAGES, (history.row(THREAD_MESSAGES, one, text=fields_of(one)) for one in messages)
        )
        return _messages_kept(connection, history) - before


def messages(history: History, thread: str, *, after: int = 0) -> tuple[ThreadMessage, ...]:
    """Return a thread's messages in order, from the sequence following `after`."""
    found = history.database.scalars(_later_messages(), history.given(thread=thread, after=after))
    return tuple(from_fields(ThreadMessage, text) for text in found)


@cache
def _later_messages() -> Select[Any]:
    mine = (_m.repository == OWN, _m.thread == bindparam("thread"), _m.sequence > bindparam("after"))
    return select(_m.text).where(*mine).order_by(_m.sequence, _m.number)


def save_draft(history: History, draft: Draft, patches: Iterable[DraftPatch], *, at: str) -> None:
    """Store the next version of a draft with the patches that led to it; idempotent.

    Raises StaleError if another version was stored since the draft was read.
    """
    with history.database.begin() as connection:
        newest = connection.execute(_newest(), history.given(thread=draft.thread)).first()
        if newest is not None and (newest.version, newest.hash) == (draft.version, draft.hash):
            return
        known = 0 if newest is None else newest.version
        if draft.version != known + 1:
            raise StaleError(
                f"the draft of {draft.thread!r} is at version {known} and not at {draft.version - 1}; read it again"
            )
        insert(connection, THREAD_DRAFTS, [_draft_row(history, draft, patches, at)])
        connection.execute(delete(THREAD_TITLES).where(_i.repository == history.repository, _i.thread == draft.thread))
        insert(
            connection,
            THREAD_TITLES,
            (history.row(THREAD_TITLES, one, thread=draft.thread) for one in sides_of(draft.title)),
        )


def forget_title(history: History, thread: str) -> None:
    """Name a draft no longer beside others, until it has another version."""
    with history.database.begin() as connection:
        connection.execute(delete(THREAD_TITLES).where(_i.repository == history.repository, _i.thread == thread))


def latest_draft(history: History, thread: str) -> Draft:
    """Return the newest version of a thread's draft; initially an empty one with version 0."""
    row = history.database.first(_newest(), history.given(thread=thread))
    return Draft(thread) if row is None else read_draft(row.text)


def draft_at(history: History, thread: str, version: int) -> Draft:
    """Return one version of a thread's draft; raises InputError if it doesn't exist."""
    query = select(_d.text).where(_d.repository == history.repository, _d.thread == thread, _d.version == version)
    text = history.database.scalar(query)
    if text is None:
        raise InputError(f"the draft of {thread!r} has no version {version}; see its history with: pk thread show")
    return read_draft(text)


def draft_titles(history: History, *, without: str = "") -> tuple[DraftTitle, ...]:
    """Return the titles of drafts not yet made into tickets, of all threads but one, most recently changed last."""
    made = exists().where(_k.repository == _i.repository, _k.thread == _i.thread, _k.state.in_(WRITTEN))
    query = (
        select(_i.thread, _i.value, _i.permalink)
        .where(_i.repository == history.repository, _i.thread != without, ~made)
        .order_by(_i.number)
    )
    return tuple(DraftTitle(*row) for row in history.database.rows(query))


def put_asks(history: History, thread: str, asks: Iterable[Ask], *, at: str) -> int:
    """Store a round of questions asked in a thread; return its number, from 1."""
    with history.database.begin() as connection:
        mine = (_a.repository == history.repository, _a.thread == thread)
        number = (connection.execute(select(func.max(_a.round)).where(*mine)).scalar() or 0) + 1
        row = {"repository": history.repository, "thread": thread, "round": number, "asked_at": at}
        still = {"closed_at": OPEN, "closed_by": ""}
        insert(connection, THREAD_ASKS, ({**row, **still, "id": one.id, "text": fields_of(one)} for one in asks))
        return number


def numbered(history: History, thread: str, asks: Iterable[Ask]) -> tuple[Ask, ...]:
    """Number questions within their thread, from 1; a question keeps its number permanently."""
    query = select(_a.id).where(_a.repository == history.repository, _a.thread == thread).order_by(_a.number)
    known = dict.fromkeys(history.database.scalars(query))
    wanted = tuple(asks)
    known |= dict.fromkeys(one.id for one in wanted)
    numbers = {name: at for at, name in enumerate(known, 1)}
    return tuple(replace(one, number=numbers[one.id]) for one in wanted)


def pending_asks(history: History, thread: str) -> tuple[Ask, ...]:
    """Return the open questions, each once, in the order asked."""
    found = history.database.rows(_open_asks(), history.given(thread=thread))
    return tuple({row.id: from_fields(Ask, row.text) for row in found}.values())


@cache
def _open_asks() -> Select[Any]:
    mine = (_a.repository == OWN, _a.thread == bindparam("thread"), _a.closed_at == OPEN)
    return select(_a.id, _a.text).where(*mine).order_by(_a.number)


def close_asks(history: History, thread: str, asks: Sequence[str], *, by: str, at: str) -> int:
    """Close questions by id, as answered by a message (`by` is its id) or moot; return how many were open."""
    mine = (_a.repository == history.repository, _a.thread == thread, _a.id.in_(asks), _a.closed_at == OPEN)
    with history.database.begin() as connection:
        return connection.execute(update(THREAD_ASKS).where(*mine).values(closed_at=at, closed_by=by)).rowcount


def answered_asks(history: History, thread: str) -> dict[str, str]:
    """Map each answered question's id to the id of the latest message that answered it."""
    query = (
        select(_a.id, _a.closed_by)
        .where(_a.repository == history.repository, _a.thread == thread, _a.closed_by != "")
        .order_by(_a.number)
    )
    return {row.id: row.closed_by for row in history.database.rows(query)}


def note_constraints(history: History, constraints: Iterable[AcceptedConstraint]) -> None:
    """Append statements about constraints; the newest for a thread, key and value holds."""
    with history.database.begin() as connection:
        insert(connection, THREAD_CONSTRAINTS, (_constraint_row(history, one) for one in constraints))


def accepted_constraints(history: History, *, without: str = "") -> tuple[AcceptedConstraint, ...]:
    """Return the constraints still in force from all threads but one, in the order of their latest statement."""
    newest = (
        select(func.max(_c.number))
        .where(_c.repository == history.repository, _c.thread != without)
        .group_by(_c.thread, _c.key_name, _c.value)
    )
    query = select(THREAD_CONSTRAINTS).where(_c.number.in_(newest), _c.status == "accepted").order_by(_c.number)
    rows = history.database.rows(query)
    return tuple(from_row(AcceptedConstraint, row, said=read_said(row.said)) for row in rows)


def _messages_kept(connection: Connection, history: History) -> int:
    query = select(func.count()).select_from(THREAD_MESSAGES).where(_m.repository == history.repository)
    return connection.execute(query).scalar_one()


@cache
def _newest() -> Select[Any]:
    mine = (_d.repository == OWN, _d.thread == bindparam("thread"))
    return select(THREAD_DRAFTS).where(*mine).order_by(_d.version.desc()).limit(1)


def _draft_row(history: History, draft: Draft, patches: Iterable[DraftPatch], at: str) -> dict[str, Any]:
    made = [fields_of(one) for one in patches]
    return history.row(THREAD_DRAFTS, draft, at=at, text=draft_document(draft), patches=made)


def _constraint_row(history: History, constraint: AcceptedConstraint) -> dict[str, Any]:
    said = {"value": constraint.said.value, "said": fields_of(constraint.said)}
    return history.row(THREAD_CONSTRAINTS, constraint, key_name=key_name(constraint.key), **said)


FAILED: Final = "failed"  # node of a step that records the events of a failed run and the reason
_s, _run = THREAD_STATES.c, THREAD_STEPS.c


def thread_state(history: History, thread: str) -> ThreadState:
    """Return the state of a thread; the initial state before its first run."""
    text = history.database.scalar(_state(), history.given(thread=thread))
    return ThreadState() if text is None else read_state(text)


@cache
def _state() -> Select[Any]:
    return select(_s.text).where(_s.repository == OWN, _s.thread == bindparam("thread"))


def save_state(history: History, thread: str, state: ThreadState) -> None:
    """Store the current state of a thread."""
    row = {"repository": history.repository, "thread": thread, "text": fields_of(state)}
    with history.database.begin() as connection:
        upsert(connection, THREAD_STATES, [row], key=("repository", "thread"))


def add_step(history: History, thread: str, step: ThreadStep) -> None:
    """Append a step; a node rerun after a crash has two."""
    with history.database.begin() as connection:
        insert(connection, THREAD_STEPS, [history.row(THREAD_STEPS, step, thread=thread)])


def failures(history: History, thread: str) -> Counter[str]:
    """Count the failed runs each event of a thread was part of."""
    query = select(_run.changed).where(
        _run.repository == history.repository, _run.thread == thread, _run.node == FAILED
    )
    return Counter(name for changed in history.database.scalars(query) for name in changed["failed"])


def thread_steps(history: History, thread: str) -> tuple[ThreadStep, ...]:
    """Return every step of every run of a thread, oldest first."""
    query = (
        select(_run.run, _run.node, _run.at, _run.milliseconds, _run.reason, _run.changed)
        .where(_run.repository == history.repository, _run.thread == thread)
        .order_by(_run.number)
    )
    return tuple(ThreadStep(*row) for row in history.database.rows(query))


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
    found = history.database.scalars(_tickets_of_thread(), history.given(thread=thread))
    return tuple(read_ticket(text) for text in found)


@cache
def _tickets_of_thread() -> Select[Any]:
    mine = (_tickets.repository == OWN, _tickets.thread == bindparam("thread"))
    return select(_tickets.text).where(*mine).order_by(_tickets.number)


def threads_to_finish(history: History) -> tuple[str, ...]:
    """Return the threads with an incomplete ticket."""
    query = (
        select(_tickets.thread)
        .where(_tickets.repository == history.repository, _tickets.state == _UNFINISHED)
        .order_by(_tickets.number)
    )
    return tuple(dict.fromkeys(history.database.scalars(query)))


def _row(history: History, ticket: Ticket) -> dict[str, object]:
    state = _UNFINISHED if ticket.missing else ticket.state
    return history.row(THREAD_TICKETS, ticket, state=state, text=fields_of(ticket))
