"""The one reminder of what a thread waits for: a timer that whoever says anything makes pointless."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from pactkeeper.intent.thread_event import Post
from pactkeeper.store.history import History
from pactkeeper.store.thread_inbox import waiting_events
from pactkeeper.store.thread_posts import put_post
from pactkeeper.store.thread_runs import thread_state
from pactkeeper.store.threads import pending_asks
from pactkeeper.store.timers import Timer, add_timer, advance, due
from pactkeeper.tickets import wording
from pactkeeper.tickets.ground import ThreadGround

KIND: Final = "thread_waits"


def remind_later(ground: ThreadGround, thread: str, run: int) -> None:
    """Set the timer of a run that waits for people; there is one for each."""
    at = (ground.now() + ground.pace.reminder).isoformat(timespec="milliseconds")
    add_timer(ground.history, Timer(f"{KIND} {thread} {run}", KIND, thread, at, {"run": run}))


def remind(history: History, *, now: datetime) -> tuple[str, ...]:
    """Decide on the reminders that are due, each once for good; gives their threads."""
    return tuple(one.subject for one in reminders(history, now=now) if remind_of(history, one, now=now))


def reminders(history: History, *, now: datetime) -> tuple[Timer, ...]:
    """The timers of threads whose time has come, the longest overdue first."""
    return tuple(one for one in due(history, now=now.isoformat(timespec="milliseconds")) if one.kind == KIND)


def remind_of(history: History, timer: Timer, *, now: datetime) -> bool:
    """Be done with a timer and keep its reminder, both or neither; nothing is said where somebody said something."""
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
