"""What a run of a thread needs: its history, its channel, its rules, the board, and the pact.

Also the single reminder about what a thread waits for: a timer that any new event makes obsolete.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from pactkeeper.boards.port import Board, Reservations
from pactkeeper.errors import SourceError
from pactkeeper.intent.thread_event import Post, Ticket
from pactkeeper.intent.ticket import Draft, Thread
from pactkeeper.ledger.canonical import digest
from pactkeeper.store.history import History
from pactkeeper.store.thread_posts import posts, put_post, said, unsaid_posts, waiting_events
from pactkeeper.store.threads import pending_asks, thread_state
from pactkeeper.store.waiting import Timer, add_timer, advance, due
from pactkeeper.tickets import wording
from pactkeeper.tickets.channels.port import Channel
from pactkeeper.tickets.ruling import DraftRules

WINDOW: Final = timedelta(seconds=30)
REMINDER: Final = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class ThreadPace:
    """How long a thread must be quiet before it is read, and when it is reminded of a question."""

    window: timedelta = WINDOW
    reminder: timedelta = REMINDER


@dataclass(frozen=True, slots=True)
class ProposedCriteria:
    """The atoms proposed for criteria, by the criterion's text, and notes on why some have none.

    `replaced` are the atoms of earlier words that one of these supersedes.
    """

    atoms: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    replaced: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ThreadGround:
    """Everything outside a thread; `folder` holds the leases and checkpoints of threads.

    `propose` declares atoms for a ticket's criteria and must be idempotent.
    """

    history: History
    folder: Path
    now: Callable[[], datetime]
    channels: Mapping[str, Channel]
    rules: DraftRules
    board: Callable[[], tuple[Board, Reservations]]
    propose: Callable[[Draft, Ticket], ProposedCriteria] = lambda _draft, _ticket: ProposedCriteria()
    pace: ThreadPace = field(default_factory=ThreadPace)
    log: Path | None = None
    spans: bool = False

    def at(self) -> str:
        """The current time in the stored format."""
        return self.now().isoformat(timespec="milliseconds")

    def place(self, thread: str) -> Path:
        """The folder of a thread, safe for any id."""
        return self.folder / digest([ascii(thread)])[3:27]

    def channel(self, thread: Thread) -> Channel | None:
        """The thread's channel; None if this process doesn't serve it."""
        return self.channels.get(thread.channel)


def deliver(ground: ThreadGround, thread: Thread) -> tuple[int, str]:
    """Deliver unsaid posts; return how many were delivered, and why the rest has to wait."""
    channel = ground.channel(thread)
    if channel is None:
        waiting = len(unsaid_posts(ground.history, thread.id))
        return 0, f"the channel {thread.channel!r} is not served here" if waiting else ""
    done = 0
    for post in unsaid_posts(ground.history, thread.id):
        try:
            ref = _say(ground, thread, post, channel=channel)
        except SourceError as reason:
            return done, str(reason)
        said(ground.history, post, ref=ref, at=ground.at())
        done += 1
    return done, ""


def _say(ground: ThreadGround, thread: Thread, post: Post, *, channel: Channel) -> str:
    """Post it, or replace the earlier post that it names."""
    if not post.instead:
        return channel.post(thread, post)
    ref = next((one.ref for one in posts(ground.history, thread.id) if one.post.key == post.instead), "")
    if ref:
        channel.replace(thread, ref, post)
    return ref


KIND: Final = "thread_waits"


def remind_later(ground: ThreadGround, thread: str, run: int) -> None:
    """Set the reminder timer of a run that waits for people, one per run."""
    at = (ground.now() + ground.pace.reminder).isoformat(timespec="milliseconds")
    add_timer(ground.history, Timer(f"{KIND} {thread} {run}", KIND, thread, at, {"run": run}))


def remind(history: History, *, now: datetime) -> tuple[str, ...]:
    """Handle the reminders that are due, each exactly once, and return the reminded threads."""
    return tuple(one.subject for one in reminders(history, now=now) if remind_of(history, one, now=now))


def reminders(history: History, *, now: datetime) -> tuple[Timer, ...]:
    """The due reminder timers, longest overdue first."""
    return tuple(one for one in due(history, now=now.isoformat(timespec="milliseconds")) if one.kind == KIND)


def remind_of(history: History, timer: Timer, *, now: datetime) -> bool:
    """Finish a timer and store its reminder in one transaction; no reminder if somebody has said something since."""
    at = now.isoformat(timespec="milliseconds")
    with history.database.begin():
        if not advance(history, timer, at=at):
            return False
        state = thread_state(history, timer.subject)
        if state.concluded != timer.payload.get("run") or waiting_events(history, timer.subject):
            return False
        asks = pending_asks(history, timer.subject) if state.outcome == "ask" else ()
        key = f"{timer.subject}.{state.concluded}.reminder"
        put_post(history, Post(key, timer.subject, "reminder", wording.reminder(asks), tuple(asks)), at=at)
        return True
