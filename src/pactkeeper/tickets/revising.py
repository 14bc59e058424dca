"""A later approval: what it changes goes into the ticket, and what people wrote there stays.

Ours are the title and the blocks of the text (headings, items, paragraphs) as we wrote them last. Everything else is
theirs: what they added, changed, ticked or moved, the state, labels, people and dates, and every remark.

The board that a thread's ticket is on: every write is looked at first, and made in turn with other processes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pactkeeper.boards.merging import Conflict, changed_sections
from pactkeeper.boards.port import Board, Preflight, PreflightState, Reservations
from pactkeeper.boards.writing import preflight, write
from pactkeeper.errors import BusyError, InputError, RefusedError, StaleError
from pactkeeper.intent.board import Change, CreateTask, LogTask, ReviseTask, Task, Written
from pactkeeper.intent.thread_event import Ticket
from pactkeeper.intent.ticket import Draft
from pactkeeper.tickets import wording

REMARK = ".remark"


@dataclass(frozen=True, slots=True)
class Base:
    """What a ticket is revised from: the approval that was carried out last, with its draft.

    `title` and `body` are what the ticket itself was given last, in those words; a remark changes neither.
    """

    ticket: Ticket
    draft: Draft
    title: str
    body: str


@dataclass(frozen=True, slots=True)
class Revised:
    """What came of a later approval, and what the thread is told about it, line by line."""

    state: PreflightState
    written: Written
    told: tuple[str, ...]


def base_of(tracker: Tracker, made: Sequence[Ticket], draft_of: Callable[[Ticket], Draft]) -> Base:
    """What the next change starts from, given all approvals that were carried out, at least one, in their order."""
    rewritten = [one for one in made if not isinstance(tracker.held(one.key), LogTask)]
    last = (rewritten or made)[-1]
    held = tracker.held(last.key)
    if isinstance(held, CreateTask | ReviseTask):
        return Base(made[-1], draft_of(made[-1]), held.title, held.body)
    draft = draft_of(last)
    return Base(made[-1], draft_of(made[-1]), wording.ticket_title(draft), wording.ticket_body(draft))


def revise(tracker: Tracker, draft: Draft, ticket: Ticket, base: Base) -> Revised:
    """Bring an approved version into the ticket, or add it as a remark where its board cannot do more.

    Raises RefusedError where the ticket is gone, closed, or on another board, and as `tracker.make` does.
    """
    _refuse_elsewhere(tracker, base.ticket)
    change = tracker.held(ticket.key) or _change(tracker, draft, base)
    seen: list[Task] = []
    state, written = make(tracker, change, ticket.key, before=_opened(tracker, base, seen.append))
    if isinstance(change, ReviseTask):
        return Revised(state, written, finish(tracker, change, written, ticket=ticket))
    if state == "ready" and any(_is_edited(task, base) for task in seen):
        state = "safe drift"
    return Revised(state, written, wording.remarked(tracker.board.name, base.ticket.target, drifted=state != "ready"))


def finish(tracker: Tracker, change: ReviseTask, written: Written, *, ticket: Ticket) -> tuple[str, ...]:
    """Say in a remark what could not go into the ticket, once, and tell what came of the revision."""
    before, after = _shown(written.before), _shown(written.after)
    conflicts = tuple(Conflict(**one) for one in after.get("conflicts", ()))
    title = change.title if after.get("title_stays") else ""
    theirs = changed_sections(change.old_body, str(before.get("body", "")))
    came = changed_sections(str(before.get("body", "")), str(after.get("body", "")))
    told = wording.revised(change, retitled=before.get("title") != after.get("title"), came=came, theirs=theirs)
    if not conflicts and not title:
        return told
    remark = wording.kept_out(ticket, conflicts, title=title)
    stays = wording.stays(conflicts, title=title)
    try:
        make(tracker, LogTask(change.task, remark), f"{ticket.key}{REMARK}")
    except RefusedError as error:
        return (*told, *stays, f"No remark could be added to {change.task} ({error}). It would have said:", remark)
    return (*told, *stays, f"What was approved there is a remark on {change.task}.")


def _change(tracker: Tracker, draft: Draft, base: Base) -> Change:
    if not tracker.can("reviseTask"):
        return LogTask(base.ticket.target, wording.difference(base.draft, draft))
    title, body = wording.ticket_title(draft), wording.ticket_body(draft)
    return ReviseTask(base.ticket.target, title, body, old_title=base.title, old_body=base.body)


def _opened(tracker: Tracker, base: Base, see: Callable[[Task], None]) -> Callable[[], None]:
    """What has to hold before something is written: the ticket is open."""

    def refuse_closed() -> None:
        task = tracker.board.task(base.ticket.target)
        if task.status == "done":
            raise RefusedError(
                f"{task.id!r} is {task.state!r} on {tracker.board.name!r}; open it again, or open a new thread"
            )
        see(task)

    return refuse_closed


def _refuse_elsewhere(tracker: Tracker, made: Ticket) -> None:
    """Refuse where the ticket cannot be found: it went, or threads have another board now."""
    name = tracker.board.name
    if made.board != name:
        raise RefusedError(
            f"{made.target!r} is on {made.board!r}, and threads go to {name!r} now; set `board` in threads.toml back,"
            " or open a new thread"
        )
    try:
        tracker.board.task(made.target)
    except InputError as error:
        raise RefusedError(
            f"{made.target!r} is gone from {name!r} ({error}); bring it back, or open a new thread"
        ) from error


def _is_edited(task: Task, base: Base) -> bool:
    return task.title != base.title or bool(changed_sections(base.body, task.body))


def _shown(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


_TRIES: Final = 100
_PAUSE: Final = 0.1


@dataclass(frozen=True, slots=True)
class Tracker:
    """A board with its reservations; `at` gives now in ISO 8601."""

    board: Board
    reservations: Reservations
    at: Callable[[], str]

    def held(self, key: str) -> Change | None:
        """The change that was reserved under a key, whether or not it was made."""
        found = self.reservations.held(key)
        return None if found is None else found.change

    def can(self, verb: str) -> bool:
        """Whether the board can make a change of this wire name at all."""
        return verb in self.board.capabilities.writes


def make(
    tracker: Tracker,
    change: Change,
    key: str,
    *,
    before: Callable[[], None] = lambda: None,
) -> tuple[PreflightState, Written]:
    """Look what would come of a change, call `before` where something is left to write, and make it.

    What `before` raises keeps the change from being made. Raises RefusedError where it is impossible, StaleError where
    it conflicts and nothing of it can be made, and as a board's writing does.
    """
    seen = preflight(tracker.board, change, key, at=tracker.at())
    _refuse(seen)
    if not seen.done:
        before()
    return seen.state, _in_turn(
        lambda: write(tracker.board, change, key, reservations=tracker.reservations, at=tracker.at())
    )


def make_late(tracker: Tracker, change: Change, key: str) -> Written | None:
    """Confirm a change of which it was not known whether it was made; None where the board does not show it."""
    if not preflight(tracker.board, change, key, at=_since(tracker, key)).done:
        return None
    return _in_turn(lambda: write(tracker.board, change, key, reservations=tracker.reservations, at=tracker.at()))


def _since(tracker: Tracker, key: str) -> str:
    held = tracker.reservations.held(key)
    return tracker.at() if held is None else held.at


def _refuse(seen: Preflight) -> None:
    if seen.state == "impossible":
        raise RefusedError(seen.reason)
    if seen.state == "conflict" and not seen.partly:
        raise StaleError(seen.reason)


def _in_turn(work: Callable[[], Written]) -> Written:
    """Do what one process at a time may do, waiting for others; raises BusyError where they take too long."""
    for _ in range(_TRIES):
        try:
            return work()
        except BusyError:
            time.sleep(_PAUSE)
    return work()
