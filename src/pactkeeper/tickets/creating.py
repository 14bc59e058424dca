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
from pactkeeper.intent.thread_run import EFFECTS, Effect, Ticket
from pactkeeper.intent.ticket import Draft
from pactkeeper.ledger.canonical import digest
from pactkeeper.store.thread_tickets import reserve_ticket, save_ticket, tickets
from pactkeeper.store.threads import draft_at, note_constraints
from pactkeeper.tickets import wording
from pactkeeper.tickets.agreeing import agreed
from pactkeeper.tickets.ground import ThreadGround
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


def create(ground: ThreadGround, draft: Draft, *, by: str) -> Creation:
    """Carry an approval of a draft out; doing it twice is doing it once, and a failure may be tried again."""
    asked = Ticket(draft.thread, _key(draft), draft.hash, draft.version, by, ground.at())
    ticket = reserve_ticket(ground.history, asked)
    if ticket.state == "created":
        return finish_approval(ground, draft, Creation(ticket, "already so"))
    try:
        tracker = Tracker(*ground.board(), ground.at)
        base = _settle_earlier(ground, ticket, tracker)
        done = _create(tracker, draft, ticket) if base is None else revise(tracker, draft, ticket, base)
    except _NOT_WRITTEN as error:
        lost = replace(ticket, state="failed", error=str(error))
        save_ticket(ground.history, lost)
        return Creation(lost, _preflight_of(error))
    written = _created(ticket, done.written, tracker)
    save_ticket(ground.history, written)
    return finish_approval(ground, draft, Creation(written, done.state, done.told))


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


def finish_approval(ground: ThreadGround, draft: Draft, found: Creation) -> Creation:
    """Bring about what a written ticket still lacks, each step kept before the next; only saying it is left over."""
    before = _before(ground, found.ticket)
    if "criteria" in found.ticket.missing:
        found = _with_criteria(ground, draft, found, before)
    if "constraints" in found.ticket.missing:
        found = _with_constraints(ground, draft, found, before)
    return found


def _with_criteria(ground: ThreadGround, draft: Draft, found: Creation, before: Ticket | None) -> Creation:
    proposed = ground.propose(draft, found.ticket)
    ticket = _having(replace(found.ticket, criteria=dict(proposed.atoms)), "criteria")
    save_ticket(ground.history, ticket)
    gone = () if before is None else _dropped(before, ticket)
    return replace(found, ticket=ticket, notes=(*found.notes, *gone, *proposed.notes))


def _with_constraints(ground: ThreadGround, draft: Draft, found: Creation, before: Ticket | None) -> Creation:
    earlier = None if before is None else draft_at(ground.history, before.thread, before.version)
    words = agreed(ground.history, draft, earlier, at=found.ticket.at)
    ticket = _having(found.ticket, "constraints")
    with ground.history.database.begin():
        save_ticket(ground.history, ticket)
        note_constraints(ground.history, words.constraints)
    return replace(found, ticket=ticket, notes=(*found.notes, *words.notes))


def announced(ticket: Ticket) -> Ticket:
    """A ticket that its thread is told of."""
    return _having(ticket, "announcement")


def _having(ticket: Ticket, effect: Effect) -> Ticket:
    return replace(ticket, done=(*ticket.done, effect))


def _before(ground: ThreadGround, ticket: Ticket) -> Ticket | None:
    """The approval of the thread that was carried out last before this one."""
    made = [one for one in tickets(ground.history, ticket.thread) if one.state == "created" or one.key == ticket.key]
    at = next(number for number, one in enumerate(made) if one.key == ticket.key)
    return made[at - 1] if at else None


def _dropped(before: Ticket, after: Ticket) -> tuple[str, ...]:
    """What is said of criteria that are none any more; whether their atoms go is for people to say."""
    kept = set(after.criteria.values())
    return tuple(wording.dropped(words, atom) for words, atom in before.criteria.items() if atom not in kept)


def _key(draft: Draft) -> str:
    """The name of a change of the board: the same approval of the same version has the same one."""
    return "thread-" + digest([draft.thread, draft.hash, draft.version])[3:23]


def _settle_earlier(ground: ThreadGround, ticket: Ticket, tracker: Tracker) -> Base | None:
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


def _found_late(ground: ThreadGround, ticket: Ticket, tracker: Tracker) -> Ticket | None:
    change = tracker.held(ticket.key)
    written = None if change is None else make_late(tracker, change, ticket.key)
    if written is None:
        return None
    if isinstance(change, ReviseTask):
        finish(tracker, change, written, ticket=ticket)
    # What follows from it is left to the approval that is under way now.
    found = replace(_created(ticket, written, tracker), done=EFFECTS)
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
        done=("ticket",),
    )
