"""Posts to threads: each stored once by key, with whether its channel has received it.

Also incoming events that await processing: each stored once, in its thread's order, taken by one run at a time.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache
from typing import Any, Final, Literal

from sqlalchemy import Connection, Select, bindparam, func, or_, select, update

from pactkeeper.intent.thread_event import AT_ONCE, Post, ThreadEvent, post_document, read_event, read_post
from pactkeeper.ledger.canonical import fields_of
from pactkeeper.store.columns import instant
from pactkeeper.store.history import OWN, History, insert_new
from pactkeeper.store.tables.conversations import THREAD_EVENTS, THREAD_POSTS

_p = THREAD_POSTS.c


@dataclass(frozen=True, slots=True)
class KeptPost:
    """A post with the times it was queued and its channel accepted it (empty: not yet), and the channel's id for it."""

    post: Post
    at: str
    said_at: str = ""
    ref: str = ""


def put_post(history: History, post: Post, *, at: str) -> None:
    """Queue a post; an existing one with the same key is left alone."""
    row = history.row(THREAD_POSTS, post, at=at, said_at="", ref="", text=post_document(post))
    with history.database.begin() as connection:
        insert_new(connection, THREAD_POSTS, [row])


def said(history: History, post: Post, *, ref: str, at: str) -> None:
    """Record that the channel has a post, under the channel's id."""
    mine = (_p.repository == history.repository, _p.thread == post.thread, _p.key == post.key)
    history.database.execute(update(THREAD_POSTS).where(*mine).values(said_at=at, ref=ref))


def unsaid_posts(history: History, thread: str) -> tuple[Post, ...]:
    """Return the posts not yet delivered to a thread's channel, in order."""
    return tuple(one.post for one in posts(history, thread) if not one.said_at)


def threads_to_tell(history: History) -> tuple[str, ...]:
    """Return the threads with undelivered posts."""
    query = select(_p.thread).where(_p.repository == history.repository, _p.said_at == "").order_by(_p.number)
    return tuple(dict.fromkeys(history.database.scalars(query)))


def posts(history: History, thread: str) -> tuple[KeptPost, ...]:
    """Return every post of a thread, delivered or not, in order."""
    rows = history.database.rows(_posts_of_thread(), history.given(thread=thread))
    return tuple(KeptPost(read_post(row.text), row.at, row.said_at, row.ref) for row in rows)


@cache
def _posts_of_thread() -> Select[Any]:
    return select(THREAD_POSTS).where(_p.repository == OWN, _p.thread == bindparam("thread")).order_by(_p.number)


# `late` events arrived after a later one was taken, `aside` events could not be processed: both are kept and shown, but
# not acted on.
EventState = Literal["waiting", "taken", "done", "late", "aside"]
Kept = Literal["waiting", "late", "known"]

_e = THREAD_EVENTS.c
_DIGITS: Final = 20
_NOW: Final = ""  # sorts before every time
# No event waits longer than this many windows for its thread to become quiet.
_LONGEST: Final = 4


def put_event(history: History, event: ThreadEvent, *, now: datetime, window: timedelta) -> Kept:
    """Store an event for its thread's next run; a known one is left alone, and one that comes too late is kept as late.

    A message waits for `window`, and with it those before it; a mention, an answer and a click are due at once.
    """
    with history.database.begin() as connection:
        if _state_of(connection, history, event) is not None:
            return "known"
        last, handled = _positions(connection, history, event.thread)
        sequence = event.sequence or last + 1
        state: Kept = "late" if sequence <= handled else "waiting"
        due = _NOW if event.kind in AT_ONCE else instant((now + window).isoformat())
        place = {"position": f"{sequence:0{_DIGITS}d}", "state": state, "run": 0, "due_at": due}
        text = fields_of(replace(event, sequence=sequence))
        insert_new(connection, THREAD_EVENTS, [history.row(THREAD_EVENTS, event, **place, text=text)])
        return state


def amend_event(history: History, thread: str, name: str, text: str) -> bool:
    """Replace the text of a waiting event; return whether there was one with this id."""
    mine = (_e.repository == history.repository, _e.thread == thread, _e.id == name, _e.state == "waiting")
    with history.database.begin() as connection:
        found = connection.execute(select(_e.text).where(*mine)).scalar()
        if found is None:
            return False
        amended = fields_of(replace(read_event(found), text=text))
        connection.execute(update(THREAD_EVENTS).where(*mine).values(text=amended))
        return True


def due_threads(history: History, *, now: datetime, window: timedelta) -> tuple[str, ...]:
    """Return the threads with work to do now, longest waiting first.

    That is where a run was interrupted, where an urgent event arrived, or where the thread has become quiet.
    """
    return tuple(row.thread for row in history.database.rows(_due(), history.given(**_times(now, window))))


def is_due(history: History, thread: str, *, now: datetime, window: timedelta) -> bool:
    """Whether a thread has work to do now."""
    values = history.given(thread=thread, **_times(now, window))
    return history.database.first(_due(alone=True), values) is not None


def take_events(history: History, thread: str, *, run: int, alone: Collection[str] = ()) -> tuple[ThreadEvent, ...]:
    """Take a run's events in order: those it already has, else the next waiting ones; an approval is taken alone.

    The events `alone` are taken alone too.
    """
    with history.database.begin() as connection:
        kept = _events(connection, history, thread, "taken")
        if kept:
            return kept
        found = _batch(_events(connection, history, thread, "waiting"), alone)
        mine = (_e.repository == history.repository, _e.thread == thread, _e.id.in_([one.id for one in found]))
        connection.execute(update(THREAD_EVENTS).where(*mine).values(state="taken", run=run))
        return found


def finish_events(history: History, thread: str) -> None:
    """Mark the events taken by the thread's run as done."""
    _move_taken(history, thread, "done")


def give_back(history: History, thread: str) -> None:
    """Return the events taken by the thread's run to the queue."""
    _move_taken(history, thread, "waiting")


def set_aside(history: History, thread: str) -> None:
    """Set aside the events taken by the thread's run: kept, but never taken again."""
    _move_taken(history, thread, "aside")


def _move_taken(history: History, thread: str, state: EventState) -> None:
    with history.database.begin() as connection:
        mine = (_e.repository == history.repository, _e.thread == thread, _e.state == "taken")
        connection.execute(update(THREAD_EVENTS).where(*mine).values(state=state))


def waiting_events(history: History, thread: str) -> tuple[ThreadEvent, ...]:
    """Return the events that await the next run of a thread, in order."""
    with history.database.read() as connection:
        return _events(connection, history, thread, "waiting")


def taken_events(history: History, thread: str) -> tuple[ThreadEvent, ...]:
    """Return the events of a run that did not complete, in order."""
    with history.database.read() as connection:
        return _events(connection, history, thread, "taken")


def events_after(history: History, thread: str, *, run: int) -> tuple[ThreadEvent, ...]:
    """Return the events taken by later runs of a thread, and the waiting ones, in order."""
    later = (_e.run > run) | (_e.state == "waiting")
    query = (
        select(_e.text)
        .where(_e.repository == history.repository, _e.thread == thread, _e.state.not_in(("late", "aside")), later)
        .order_by(_e.position, _e.number)
    )
    return tuple(read_event(text) for text in history.database.scalars(query))


def late_events(history: History, thread: str) -> tuple[ThreadEvent, ...]:
    """Return the events that arrived too late and were not acted on, in order."""
    with history.database.read() as connection:
        return _events(connection, history, thread, "late")


def aside_events(history: History, thread: str) -> tuple[ThreadEvent, ...]:
    """Return the events that could not be processed, in order."""
    with history.database.read() as connection:
        return _events(connection, history, thread, "aside")


def last_sequence(history: History, thread: str) -> int:
    """Return the sequence of a thread's last event in any state; 0 if it has none."""
    with history.database.read() as connection:
        return _positions(connection, history, thread)[0]


def _times(now: datetime, window: timedelta) -> dict[str, str]:
    times = {"at": now, "oldest": now - (_LONGEST - 1) * window, "furthest": now + window}
    return {name: instant(time.isoformat()) for name, time in times.items()}


@cache
def _due(*, alone: bool = False) -> Select[tuple[str]]:
    """Ask for threads with work to do; `alone` for one of them."""
    first, last = func.min(_e.due_at), func.max(_e.due_at)
    ready = (
        func.min(_e.state) == "taken",
        first <= bindparam("oldest"),
        last <= bindparam("at"),
        last > bindparam("furthest"),  # clock set back: don't wait longer
    )
    only = (_e.thread == bindparam("thread"),) if alone else ()
    return (
        select(_e.thread)
        .where(_e.repository == OWN, _e.state.in_(("taken", "waiting")), *only)
        .group_by(_e.thread)
        .having(or_(*ready))
        .order_by(func.min(_e.number))
    )


def _batch(waiting: Sequence[ThreadEvent], alone: Collection[str]) -> tuple[ThreadEvent, ...]:
    """Return the events of one run; an approval is alone, as it refers to what was shown before later messages."""
    ends = [at for at, one in enumerate(waiting) if one.kind == "approve" or one.id in alone]
    end = (ends or [len(waiting)])[0]
    return tuple(waiting[: max(1, end)])


def _state_of(connection: Connection, history: History, event: ThreadEvent) -> str | None:
    query = select(_e.state).where(_e.repository == history.repository, _e.thread == event.thread, _e.id == event.id)
    found: str | None = connection.execute(query).scalar()
    return found


def _positions(connection: Connection, history: History, thread: str) -> tuple[int, int]:
    """Return the greatest position in a thread, and the greatest one taken."""
    mine = (_e.repository == history.repository, _e.thread == thread)
    last = connection.execute(select(func.max(_e.position)).where(*mine)).scalar()
    taken = (*mine, _e.state.in_(("taken", "done", "aside")))
    handled = connection.execute(select(func.max(_e.position)).where(*taken)).scalar()
    return int(last or 0), int(handled or 0)


def _events(connection: Connection, history: History, thread: str, state: EventState) -> tuple[ThreadEvent, ...]:
    found = connection.execute(_in_state(), history.given(thread=thread, state=state))
    return tuple(read_event(text) for text in found.scalars())


@cache
def _in_state() -> Select[Any]:
    mine = (_e.repository == OWN, _e.thread == bindparam("thread"), _e.state == bindparam("state"))
    return select(_e.text).where(*mine).order_by(_e.position, _e.number)
