"""From an approval to a ticket: reserved, written once, read back, confirmed; a later approval revises it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pactkeeper.boards.port import PreflightState
from pactkeeper.errors import (
    BoardUnavailable,
    BusyError,
    InputError,
    PactkeeperError,
    RefusedError,
    StaleError,
    UsageError,
    WriteFailed,
)
from pactkeeper.intent.board import CreateTask, ReviseTask, Written
from pactkeeper.intent.thread_run import Ticket
from pactkeeper.intent.ticket import Draft
from pactkeeper.ledger.canonical import digest
from pactkeeper.store.thread_tickets import reserve_ticket, save_ticket, tickets
from pactkeeper.store.threads import draft_at, note_constraints
from pactkeeper.tickets import wording
from pactkeeper.tickets.agreeing import agreed
from pactkeeper.tickets.ground import Ground
from pactkeeper.tickets.revising import Base, Revised, base_of, finish, revise
from pactkeeper.tickets.tracker import Tracker, make, make_late

_NOT_WRITTEN = (BoardUnavailable, BusyError, InputError, RefusedError, StaleError, UsageError, WriteFailed)


@dataclass(frozen=True, slots=True)
class Creation:
    """What came of an approval: the ticket with its state, and what preflight said, None where it could not tell.

    `told` is what a later version changed, line by line; `notes` are what else people should know.
    """

    ticket: Ticket
    preflight: PreflightState | None
    told: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def create(ground: Ground, draft: Draft, *, by: str) -> Creation:
    """Carry an approval of a draft out; doing it twice is doing it once, and a failure may be tried again."""
    asked = Ticket(draft.thread, _key(draft), draft.hash, draft.version, by, ground.at())
    ticket = reserve_ticket(ground.history, asked)
    if ticket.state == "created":
        return Creation(ticket, "already so")
    try:
        tracker = Tracker(*ground.board(), ground.at)
        base = _settle_earlier(ground, ticket, tracker)
        done = _create(tracker, draft, ticket) if base is None else revise(tracker, draft, ticket, base)
    except _NOT_WRITTEN as error:
        lost = replace(ticket, state="failed", error=str(error))
        save_ticket(ground.history, lost)
        return Creation(lost, _preflight_of(error))
    return _confirm(ground, draft, _created(ticket, done.written, tracker), base=base, done=done)


def _create(tracker: Tracker, draft: Draft, ticket: Ticket) -> Revised:
    change = tracker.held(ticket.key) or CreateTask(wording.ticket_title(draft), wording.ticket_body(draft))
    return Revised(*make(tracker, change, ticket.key), told=())


def _preflight_of(error: PactkeeperError) -> PreflightState | None:
    match error:
        case StaleError():
            return "conflict"
        case RefusedError() | InputError() | WriteFailed():
            return "impossible"
        case _:
            return None


def _confirm(ground: Ground, draft: Draft, ticket: Ticket, *, base: Base | None, done: Revised) -> Creation:
    """Keep the ticket before anything else is done about it, then its criteria and constraints."""
    save_ticket(ground.history, ticket)
    proposed = ground.propose(draft, ticket)
    linked = replace(ticket, criteria=dict(proposed.atoms))
    words = agreed(ground.history, draft, None if base is None else base.draft, at=ticket.at)
    with ground.history.database.begin():
        save_ticket(ground.history, linked)
        note_constraints(ground.history, words.constraints)
    gone = () if base is None else _dropped(base.ticket, linked)
    return Creation(linked, done.state, done.told, (*gone, *words.notes, *proposed.notes))


def _dropped(before: Ticket, after: Ticket) -> tuple[str, ...]:
    """What is said of criteria that are none any more; whether their atoms go is for people to say."""
    kept = set(after.criteria.values())
    return tuple(wording.dropped(words, atom) for words, atom in before.criteria.items() if atom not in kept)


def _key(draft: Draft) -> str:
    """The name of a change of the board: the same approval of the same version has the same one."""
    return "thread-" + digest([draft.thread, draft.hash, draft.version])[3:23]


def _settle_earlier(ground: Ground, ticket: Ticket, tracker: Tracker) -> Base | None:
    """What was written to the thread's ticket last, be it that an earlier try was and its answer never came."""
    made: list[Ticket] = []
    unsettled: list[Ticket] = []
    for one in tickets(ground.history, ticket.thread):
        if one.state == "created":
            made, unsettled = [*made, one], []
        elif one.key != ticket.key:
            unsettled.append(one)
    made += [found for one in unsettled if (found := _found_late(ground, one, tracker))]
    return base_of(tracker, made, lambda one: draft_at(ground.history, one.thread, one.version)) if made else None


def _found_late(ground: Ground, ticket: Ticket, tracker: Tracker) -> Ticket | None:
    change = tracker.held(ticket.key)
    written = None if change is None else make_late(tracker, change, ticket.key)
    if written is None:
        return None
    if isinstance(change, ReviseTask):
        finish(tracker, change, written, ticket=ticket)
    found = _created(ticket, written, tracker)
    save_ticket(ground.history, found)
    return found


def _created(ticket: Ticket, written: Written, tracker: Tracker) -> Ticket:
    after = written.after if isinstance(written.after, dict) else {}
    return replace(
        ticket,
        state="created",
        board=tracker.board.name,
        target=written.target,
        url=written.url,
        seen=str(after.get("version", "")),
        error="",
    )
