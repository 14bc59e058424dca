"""A later approval: its changes go into the ticket, and what people wrote there stays.

Ours are the title and the blocks of the text (headings, items, paragraphs) as we last wrote them. Everything else is
theirs: anything added, changed, ticked or moved, the state, labels, people and dates, and every remark.

`Tracker` is the board with the thread's ticket: every write is preceded by a preflight and waits for other processes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pactkeeper.boards.merging import MergeConflict, changed_sections
from pactkeeper.boards.port import Board, Preflight, PreflightState, Reservations
from pactkeeper.boards.writing import preflight, write
from pactkeeper.errors import BusyError, InputError, RefusedError, StaleError
from pactkeeper.intent.board import Change, CreateTask, LogTask, ReviseTask, Task, Written
from pactkeeper.intent.thread_event import Ticket
from pactkeeper.intent.ticket import Draft
from pactkeeper.tickets import wording

REMARK = ".remark"


@dataclass(frozen=True, slots=True)
class RevisedBase:
    """What a revision starts from: the last approval that was carried out, with its draft.

    `title` and `body` are the texts last written to the ticket itself; a remark changes neither.
    """

    ticket: Ticket
    draft: Draft
    title: str
    body: str


@dataclass(frozen=True, slots=True)
class Revised:
    """The result of a later approval, and the lines that tell the thread about it."""

    state: PreflightState
    written: Written
    told: tuple[str, ...]


def base_of(tracker: Tracker, made: Sequence[Ticket], draft_of: Callable[[Ticket], Draft]) -> RevisedBase:
    """The base of the next change, given all approvals carried out so far, at least one, in order."""
    rewritten = [one for one in made if not isinstance(tracker.held(one.key), LogTask)]
    last = (rewritten or made)[-1]
    held = tracker.held(last.key)
    if isinstance(held, CreateTask | ReviseTask):
        return RevisedBase(made[-1], draft_of(made[-1]), held.title, held.body)
    draft = draft_of(last)
    title, body = wording.ticket_title(draft), wording.ticket_body(draft, by=last.approved_by)
    return RevisedBase(made[-1], draft_of(made[-1]), title, body)


def revise(tracker: Tracker, draft: Draft, ticket: Ticket, base: RevisedBase) -> Revised:
    """Write an approved version to the ticket, or add it as a remark if the board can't revise tickets.

    Raise RefusedError if the ticket is gone, closed or on another board, and any error that `make` raises.
    """
    _refuse_elsewhere(tracker, base.ticket)
    change = tracker.held(ticket.key) or _change(tracker, draft, base, by=ticket.approved_by)
    seen: list[Task] = []
    state, written = make(tracker, change, ticket.key, before=_opened(tracker, base, seen.append))
    if isinstance(change, ReviseTask):
        return Revised(state, written, finish(tracker, change, written, ticket=ticket))
    edited = (task.title != base.title or changed_sections(base.body, task.body) for task in seen)
    if state == "ready" and any(edited):
        state = "safe drift"
    return Revised(state, written, wording.remarked(tracker.board.name, base.ticket.target, drifted=state != "ready"))


def finish(tracker: Tracker, change: ReviseTask, written: Written, *, ticket: Ticket) -> tuple[str, ...]:
    """Add one remark with what couldn't go into the ticket, and return the lines about the revision."""
    before, after = _shown(written.before), _shown(written.after)
    conflicts = tuple(MergeConflict(**one) for one in after.get("conflicts", ()))
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
        return (*told, *stays, f"No comment could be added to {change.task} ({error}). It would have said:", remark)
    return (*told, *stays, f"What was approved is in a comment on {change.task}.")


def _change(tracker: Tracker, draft: Draft, base: RevisedBase, *, by: str) -> Change:
    if not tracker.can("reviseTask"):
        return LogTask(base.ticket.target, wording.difference(base.draft, draft))
    title, body = wording.ticket_title(draft), wording.ticket_body(draft, by=by)
    return ReviseTask(base.ticket.target, title, body, old_title=base.title, old_body=base.body)


def _opened(tracker: Tracker, base: RevisedBase, see: Callable[[Task], None]) -> Callable[[], None]:
    """Make a check, run before writing, that raises RefusedError for a closed ticket."""

    def refuse_closed() -> None:
        task = tracker.board.task(base.ticket.target)
        if task.status == "done":
            raise RefusedError(
                f"{task.id!r} is {task.state!r} on {tracker.board.name!r}; reopen it, or open a new thread"
            )
        see(task)

    return refuse_closed


def _refuse_elsewhere(tracker: Tracker, made: Ticket) -> None:
    """Raise RefusedError if the ticket is gone, or threads now use another board."""
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
            f"{made.target!r} is gone from {name!r} ({error}); restore it, or open a new thread"
        ) from error


def _shown(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


_TRIES: Final = 100
_PAUSE: Final = 0.1


@dataclass(frozen=True, slots=True)
class Tracker:
    """A board with its reservations; `at` returns the current time in ISO 8601."""

    board: Board
    reservations: Reservations
    at: Callable[[], str]

    def held(self, key: str) -> Change | None:
        """The change reserved under a key, made or not."""
        found = self.reservations.held(key)
        return None if found is None else found.change

    def can(self, verb: str) -> bool:
        """Whether the board supports the change with this wire name."""
        return verb in self.board.capabilities.writes


def make(
    tracker: Tracker,
    change: Change,
    key: str,
    *,
    before: Callable[[], None] = lambda: None,
) -> tuple[PreflightState, Written]:
    """Preflight a change, call `before` if something is left to write, and make the change.

    An error from `before` prevents the change. Raise RefusedError if it is impossible, StaleError if it conflicts and
    no part of it can be made, and any error that writing to a board raises.
    """
    seen = preflight(tracker.board, change, key, at=tracker.at())
    _refuse(seen)
    if not seen.done:
        before()
    return seen.state, _in_turn(
        lambda: write(tracker.board, change, key, reservations=tracker.reservations, at=tracker.at())
    )


def make_late(tracker: Tracker, change: Change, key: str) -> Written | None:
    """Confirm a change whose result was never received; None if the board doesn't show it."""
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
    """Do what only one process may do at a time, waiting for others; raise BusyError after too many tries."""
    for _ in range(_TRIES):
        try:
            return work()
        except BusyError:
            time.sleep(_PAUSE)
    return work()
