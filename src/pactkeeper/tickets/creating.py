"""From an approval to a ticket: reserved, written once, read back, confirmed; a later approval adds a remark to it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pactkeeper.boards.port import Board, Preflight, Reservations
from pactkeeper.boards.writing import preflight, write
from pactkeeper.errors import BoardUnavailable, BusyError, InputError, RefusedError, StaleError, UsageError
from pactkeeper.intent.board import Change, CreateTask, LogTask, Written
from pactkeeper.intent.thread_run import Ticket
from pactkeeper.intent.ticket import AcceptedConstraint, Draft, sides_of
from pactkeeper.intent.ticket_patch import key_name
from pactkeeper.ledger.canonical import digest
from pactkeeper.store.history import History
from pactkeeper.store.thread_tickets import reserve_ticket, save_ticket, tickets
from pactkeeper.store.threads import accepted_constraints, draft_at, note_constraints
from pactkeeper.tickets import wording
from pactkeeper.tickets.ground import Ground
from pactkeeper.tickets.validation.contradictions import contradictions
from pactkeeper.tickets.validation.surroundings import Surroundings

_TRIES: Final = 100
_PAUSE: Final = 0.1
_NOT_WRITTEN = (BoardUnavailable, BusyError, InputError, RefusedError, StaleError, UsageError)


@dataclass(frozen=True, slots=True)
class Creation:
    """What came of an approval: the ticket with its state, what preflight said, and what else people should know."""

    ticket: Ticket
    preflight: str
    notes: tuple[str, ...] = ()


def create(ground: Ground, draft: Draft, *, by: str) -> Creation:
    """Carry an approval of a draft out; doing it twice is doing it once, and a failure may be tried again."""
    asked = Ticket(draft.thread, _key(draft), draft.hash, draft.version, by, ground.at())
    ticket = reserve_ticket(ground.history, asked)
    if ticket.state == "created":
        return Creation(ticket, "already so")
    try:
        board, reservations = ground.board()
        made = _settle_earlier(ground, ticket, board, reservations)
        change = _change(ground, draft, made, reservations=reservations)
        seen, notes = _look(board, change, ticket, made=made)
        written = _in_turn(lambda: write(board, change, ticket.key, reservations=reservations, at=ground.at()))
    except _NOT_WRITTEN as error:
        lost = replace(ticket, state="failed", error=str(error))
        save_ticket(ground.history, lost)
        return Creation(lost, "failed")
    return _confirm(ground, draft, _created(ticket, written, board, made=made), seen=seen, notes=notes)


def _in_turn(work: Callable[[], Written]) -> Written:
    """Do what one process at a time may do, waiting for others; raises BusyError where they take too long."""
    for _ in range(_TRIES):
        try:
            return work()
        except BusyError:
            time.sleep(_PAUSE)
    return work()


def _confirm(ground: Ground, draft: Draft, ticket: Ticket, *, seen: str, notes: Sequence[str]) -> Creation:
    """Keep the ticket before anything else is done about it, then its criteria and constraints."""
    save_ticket(ground.history, ticket)
    proposed = ground.propose(draft, ticket)
    linked, gone = replace(ticket, criteria=dict(proposed.atoms)), _replaced(ground.history, draft, at=ticket.at)
    with ground.history.database.begin():
        save_ticket(ground.history, linked)
        note_constraints(ground.history, [*gone, *_accepted(draft, at=ticket.at)])
    told = [f"{one.key} {one.said.value!r}, accepted in {one.thread}, holds no longer" for one in gone]
    return Creation(linked, seen, (*notes, *told, *proposed.notes))


def _key(draft: Draft) -> str:
    """The name of a change of the board: the same approval of the same words has the same one."""
    return "thread-" + digest([draft.thread, draft.hash])[3:23]


def _settle_earlier(ground: Ground, ticket: Ticket, board: Board, reservations: Reservations) -> Ticket | None:
    """The thread's ticket, if it has one, be it that an earlier try was written and its answer never came."""
    found: Ticket | None = None
    for one in tickets(ground.history, ticket.thread):
        if one.state != "created" and one.key != ticket.key:
            one = _found_late(ground, one, board, reservations) or one  # noqa: PLW2901 - the same, as it is now
        if one.state == "created" and found is None:
            found = one
    return found


def _found_late(ground: Ground, ticket: Ticket, board: Board, reservations: Reservations) -> Ticket | None:
    held = reservations.held(ticket.key)
    if held is None or preflight(board, held.change, ticket.key, at=held.at).state != "already so":
        return None
    change = held.change
    written = _in_turn(lambda: write(board, change, ticket.key, reservations=reservations, at=ground.at()))
    found = _created(ticket, written, board, made=None)
    save_ticket(ground.history, found)
    return found


def _change(ground: Ground, draft: Draft, made: Ticket | None, *, reservations: Reservations) -> Change:
    """What is to be written: what was reserved before, a new task, or a remark that says what is different."""
    held = reservations.held(_key(draft))
    if held is not None:
        return held.change
    if made is None:
        title = "" if draft.title is None else sides_of(draft.title)[0].value
        return CreateTask(title, wording.ticket_body(draft))
    return LogTask(made.target, wording.difference(draft_at(ground.history, draft.thread, made.version), draft))


def _look(board: Board, change: Change, ticket: Ticket, *, made: Ticket | None) -> tuple[str, tuple[str, ...]]:
    """What comes of the change now: already so, ready, safe drift; raises where it conflicts or cannot be."""
    found: Preflight = preflight(board, change, ticket.key, at=ticket.at)
    if found.state == "conflict":
        raise StaleError(found.reason)
    if found.state == "impossible":
        raise RefusedError(found.reason)
    if made is None or found.state == "already so":
        return found.state, ()
    task = board.task(made.target)
    if task.status == "done":
        raise StaleError(f"{made.target!r} is {task.state!r} on {board.name!r}; open it again, or open a new thread")
    if made.seen and task.version != made.seen:
        return "safe drift", (f"{made.target} was edited since; those words stay, and this is a remark below them",)
    return found.state, ()


def _created(ticket: Ticket, written: Written, board: Board, *, made: Ticket | None) -> Ticket:
    after = written.after if isinstance(written.after, dict) else {}
    return replace(
        ticket,
        state="created",
        board=board.name,
        target=written.target,
        url=written.url,
        seen=str(after.get("version", "")) or ("" if made is None else made.seen),
        error="",
    )


def _replaced(history: History, draft: Draft, *, at: str) -> list[AcceptedConstraint]:
    """What other threads agreed on and a person put aside for what this one says."""
    others = accepted_constraints(history, without=draft.thread)
    gone = {
        (one.b.where, key_name(one.key), one.b.value)
        for one in contradictions(draft, Surroundings(others))
        if (one.against, one.settled) == ("thread", "keep_a")
    }
    return [
        replace(one, status="superseded", at=at)
        for one in others
        if (one.thread, key_name(one.key), one.said.value) in gone
    ]


def _accepted(draft: Draft, *, at: str) -> list[AcceptedConstraint]:
    """The constraints that hold from now on for other threads."""
    return [
        AcceptedConstraint(draft.thread, one.key, said, "accepted", at)
        for one in draft.constraints
        if one.status in {"proposed", "accepted"}
        for said in sides_of(one.value)
    ]
