"""Verbs for a door whose channel sends events: store them at once, run what is due, and detect what was missed."""

from __future__ import annotations

from dataclasses import dataclass

from pactkeeper.errors import InputError
from pactkeeper.intent.thread_event import ThreadEvent
from pactkeeper.intent.ticket import Thread
from pactkeeper.operators.thread_ground import Desk, ground_of
from pactkeeper.store.thread_posts import (
    Kept,
    amend_event,
    due_threads,
    last_sequence,
    taken_events,
    threads_to_tell,
    unsaid_posts,
    waiting_events,
)
from pactkeeper.store.threads import find_thread, messages, pending_asks, threads
from pactkeeper.tickets.ground import remind
from pactkeeper.tickets.running import Ran, receive, run_thread


@dataclass(frozen=True, slots=True)
class BoundThread:
    """A thread of a channel, and the sequence number of its last event."""

    thread: Thread
    last: int


@dataclass(frozen=True, slots=True)
class Went:
    """The outcome of a thread's run, and how many posts its channel has not accepted yet."""

    ran: Ran
    unsaid: int


def hear_event(desk: Desk, thread: Thread, event: ThreadEvent) -> Kept:
    """Store an event for the thread's next run, opening the thread if it is new; nothing else happens."""
    return receive(ground_of(desk), thread, event)


def amend_waiting(desk: Desk, thread: str, event: str, text: str) -> bool:
    """Change an event's text if nobody has read it yet; returns whether it was changed."""
    return amend_event(desk.history, thread, event, text)


def run_bound_thread(desk: Desk, name: str) -> Went:
    """Do everything due in a thread; raises InputError for an unknown thread, and whatever a run raises."""
    ground = ground_of(desk)
    ran = run_thread(ground, name)
    return Went(ran, len(unsaid_posts(ground.history, name)))


def due_in_channel(desk: Desk, channel: str) -> tuple[str, ...]:
    """Return the threads of a channel with something to do now, after deciding on reminders."""
    ground = ground_of(desk)
    history, now = ground.history, ground.now()
    remind(history, now=now)
    found = dict.fromkeys([*due_threads(history, now=now, window=ground.pace.window), *threads_to_tell(history)])
    return tuple(name for name in found if find_thread(history, name).channel == channel)


def bound_threads(desk: Desk, channel: str) -> tuple[BoundThread, ...]:
    """Return the threads of a channel, the most recently active first."""
    history = desk.history
    found = [BoundThread(one, last_sequence(history, one.id)) for one in threads(history) if one.channel == channel]
    return tuple(sorted(found, key=lambda one: one.last, reverse=True))


def is_bound(desk: Desk, name: str) -> bool:
    """Whether a thread with this id was ever opened."""
    try:
        find_thread(desk.history, name)
    except InputError:
        return False
    return True


def is_under_way(desk: Desk, event: ThreadEvent) -> bool:
    """Whether the same person did the same in this thread before, and that is still being processed."""
    history = desk.history
    open_ = (*taken_events(history, event.thread), *waiting_events(history, event.thread))
    return any(one.id != event.id and _deed(one) == _deed(event) for one in open_)


def _deed(event: ThreadEvent) -> tuple[str, ...]:
    return (event.kind, event.author, event.text, event.shown, event.ask)


def question_in(desk: Desk, name: str, ask: str) -> str:
    """Return the text of a pending question in a thread; empty if there is none with this id."""
    return next((one.text for one in pending_asks(desk.history, name) if one.id == ask), "")


def authors_in(desk: Desk, name: str) -> tuple[str, ...]:
    """Return everyone heard in a thread, by the names used there, in order of appearance."""
    history = desk.history
    read = [one.author for one in messages(history, name)]
    heard = [one.author for one in (*taken_events(history, name), *waiting_events(history, name))]
    return tuple(dict.fromkeys([*read, *heard]))
