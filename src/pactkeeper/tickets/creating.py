"""From an approval to a ticket: reserve, write once, read back, confirm; a later approval revises the ticket.

Also records what an approval settles for other threads: constraints that now hold, and those that no longer do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

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
from pactkeeper.intent.thread_event import EFFECTS, TICKET_KEY, Effect, Ticket
from pactkeeper.intent.ticket import AcceptedConstraint, Draft, PlacedValue, sides_of
from pactkeeper.intent.ticket_patch import key_name, same_key
from pactkeeper.ledger.canonical import digest
from pactkeeper.store.history import History
from pactkeeper.store.threads import (
    accepted_constraints,
    draft_at,
    note_constraints,
    reserve_ticket,
    save_ticket,
    tickets,
)
from pactkeeper.tickets import wording
from pactkeeper.tickets.checking import Surroundings, contradictions
from pactkeeper.tickets.ground import ThreadGround
from pactkeeper.tickets.report import Contradiction
from pactkeeper.tickets.revising import Revised, RevisedBase, Tracker, base_of, finish, make, make_late, revise
from pactkeeper.tickets.wording import in_words

_NOT_WRITTEN = (BoardUnavailable, BusyError, InputError, RefusedError, StaleError, UsageError, WriteFailed)


@dataclass(frozen=True, slots=True)
class Creation:
    """The result of an approval: the ticket, and its preflight state, or None if that couldn't be determined."""

    ticket: Ticket
    preflight: PreflightState | None


def create(ground: ThreadGround, draft: Draft, *, by: str) -> Creation:
    """Carry out the approval of a draft; this is idempotent, and a failure may be retried."""
    asked = Ticket(draft.thread, _key(draft), draft.hash, draft.version, by, ground.at())
    ticket = reserve_ticket(ground.history, asked)
    if ticket.state == "created":
        return Creation(finish_approval(ground, draft, ticket), "already so")
    try:
        tracker = Tracker(*ground.board(), ground.at)
        base = _settle_earlier(ground, ticket, tracker)
        done = _create(tracker, draft, ticket) if base is None else revise(tracker, draft, ticket, base)
    except _NOT_WRITTEN as error:
        lost = replace(ticket, state="failed", error=str(error))
        save_ticket(ground.history, lost)
        return Creation(lost, _preflight_of(error))
    written = replace(_created(ticket, done.written, tracker), told=done.told)
    save_ticket(ground.history, written)
    return Creation(finish_approval(ground, draft, written), done.state)


def _create(tracker: Tracker, draft: Draft, ticket: Ticket) -> Revised:
    body = wording.ticket_body(draft, by=ticket.approved_by)
    change = tracker.held(ticket.key) or CreateTask(wording.ticket_title(draft), body)
    return Revised(*make(tracker, change, ticket.key), told=())


def _preflight_of(error: PactkeeperError) -> PreflightState | None:
    match error:
        case StaleError():
            return "conflict"
        case RefusedError() | InputError() | WriteFailed():
            return "impossible"
        case _:
            return None


def finish_approval(ground: ThreadGround, draft: Draft, ticket: Ticket) -> Ticket:
    """Complete the missing effects of a written ticket except its announcement, saving after each step."""
    before = _before(ground, ticket)
    if "criteria" in ticket.missing:
        ticket = _with_criteria(ground, draft, ticket, before)
    if "constraints" in ticket.missing:
        ticket = _with_constraints(ground, draft, ticket, before)
    return ticket


def _with_criteria(ground: ThreadGround, draft: Draft, ticket: Ticket, before: Ticket | None) -> Ticket:
    proposed = ground.propose(draft, ticket)
    found = replace(ticket, criteria=dict(proposed.atoms))
    gone = () if before is None else _dropped(before, found, proposed.replaced)
    after = _having(found, "criteria", gone + proposed.notes)
    save_ticket(ground.history, after)
    return after


def _with_constraints(ground: ThreadGround, draft: Draft, ticket: Ticket, before: Ticket | None) -> Ticket:
    earlier = None if before is None else draft_at(ground.history, before.thread, before.version)
    words = agreed(ground.history, draft, earlier, at=ticket.at)
    after = _having(ticket, "constraints", words.notes)
    with ground.history.database.begin():
        save_ticket(ground.history, after)
        note_constraints(ground.history, words.constraints)
    return after


def announced(ticket: Ticket) -> Ticket:
    """The ticket, marked as announced in its thread."""
    return replace(_having(ticket, "announcement"), told=(), notes=())


def _having(ticket: Ticket, effect: Effect, notes: tuple[str, ...] = ()) -> Ticket:
    return replace(ticket, done=(*ticket.done, effect), notes=ticket.notes + notes)


def _before(ground: ThreadGround, ticket: Ticket) -> Ticket | None:
    """The last approval of the thread carried out before this one."""
    made = [one for one in tickets(ground.history, ticket.thread) if one.state == "created" or one.key == ticket.key]
    at = next(number for number, one in enumerate(made) if one.key == ticket.key)
    return made[at - 1] if at else None


def _dropped(before: Ticket, after: Ticket, replaced: frozenset[str]) -> tuple[str, ...]:
    """The notes about criteria that were dropped; people decide whether their atoms go, too."""
    kept = {*after.criteria.values(), *replaced}
    return tuple(wording.dropped(words, atom) for words, atom in before.criteria.items() if atom not in kept)


def _key(draft: Draft) -> str:
    """The key of a board change, the same for every approval of the same version."""
    return TICKET_KEY + digest([draft.thread, draft.hash, draft.version])[3:23]


def _settle_earlier(ground: ThreadGround, ticket: Ticket, tracker: Tracker) -> RevisedBase | None:
    """What was last written to the thread's ticket, including earlier attempts whose result was never received."""
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
    # The approval being carried out now brings about its effects.
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


_HOLDS: Final = frozenset({"proposed", "accepted"})


@dataclass(frozen=True, slots=True)
class Agreed:
    """Constraints to save together, and notes for people about those that no longer hold."""

    constraints: tuple[AcceptedConstraint, ...]
    notes: tuple[str, ...]


def agreed(history: History, draft: Draft, before: Draft | None, *, at: str) -> Agreed:
    """What an approved draft settles; `before` is the previously approved version, None for the first."""
    replaced = _replaced(history, draft, at=at)
    now, was = _held(draft), {} if before is None else _held(before)
    gone = [one for name, one in was.items() if name not in now]
    taken_back = [AcceptedConstraint(draft.thread, key, said, "superseded", at) for key, said in gone]
    accepted = [AcceptedConstraint(draft.thread, key, said, "accepted", at) for key, said in now.values()]
    notes = [f"{one.key} {one.said.value!r}, accepted in {one.thread}, holds no longer" for one in replaced]
    return Agreed((*replaced, *taken_back, *accepted), tuple(notes))


def _replaced(history: History, draft: Draft, *, at: str) -> list[AcceptedConstraint]:
    """Constraints accepted in other threads that a person chose to replace with this draft's."""
    others = accepted_constraints(history, without=draft.thread)
    settled = [
        found
        for found in contradictions(draft, Surroundings(others))
        if (found.against, found.settled) == ("thread", "keep_a")
    ]
    gone = [one for one in others if any(_is_about(found, one) for found in settled)]
    return [replace(one, status="superseded", at=at) for one in gone]


def _is_about(found: Contradiction, one: AcceptedConstraint) -> bool:
    """Whether a contradiction is about this constraint, quoted by its value or as a sentence."""
    if found.b.where != one.thread:
        return False
    by_value = same_key(found.key, one.key) and found.b.value == one.said.value
    return by_value or found.b.value == in_words(one.key, one.said.value)


def _held(draft: Draft) -> dict[tuple[str, str], tuple[str, PlacedValue]]:
    """The constraints of a draft that count, by normalized key and value."""
    return {(key_name(key), said.value): (key, said) for key, said in _said(draft)}


def _said(draft: Draft) -> Iterator[tuple[str, PlacedValue]]:
    for one in draft.constraints:
        if one.status in _HOLDS:
            yield from ((one.key, said) for said in sides_of(one.value))
