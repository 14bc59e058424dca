"""Events that a step fails on: tried once more, one at a time, then set aside with a word in their thread."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, TypeVar

from pactkeeper.errors import BusyError, SourceError, UnfinishedError, WriteFailed
from pactkeeper.intent.thread_event import Post, ThreadEvent
from pactkeeper.intent.thread_run import ThreadStep
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.store.thread_inbox import give_back, set_aside, taken_events
from pactkeeper.store.thread_posts import put_post
from pactkeeper.store.thread_runs import FAILED, add_step, failures, save_state, thread_state
from pactkeeper.tickets.ground import ThreadGround

TRIES: Final = 2
# What no event is to blame for: a disk, a database, a board or a model that is away, or another process at work.
_PASSING: Final = (SourceError, BusyError, WriteFailed, UnfinishedError, OSError)
_SHOWN: Final = 200

Result = TypeVar("Result")


class Unprocessed(Exception):
    """A step failed on the events of its run; that is kept, and they wait again or are set aside."""


def attempted(ground: ThreadGround, thread: str, node: str, work: Callable[[], Result]) -> Result:
    """Do the work of a node; raises Unprocessed where it fails on what its run has taken up."""
    try:
        return work()
    except _PASSING:
        raise
    except Exception as error:
        events = taken_events(ground.history, thread)
        if not events:
            raise
        _blame(ground, thread, events, f"{node}: {_said(error)}")
        raise Unprocessed from error


def _blame(ground: ThreadGround, thread: str, events: Sequence[ThreadEvent], reason: str) -> None:
    history = ground.history
    state = thread_state(history, thread)
    run, names = state.concluded + 1, list[JsonValue](one.id for one in events)
    with history.database.begin():
        add_step(history, thread, ThreadStep(run, FAILED, ground.at(), 0, reason, {"failed": names}))
        failed = failures(history, thread)
        if all(failed[one.id] >= TRIES for one in events):
            set_aside(history, thread)
            save_state(history, thread, replace(state, read=state.concluded))
            put_post(history, _told(thread, run, events, reason), at=ground.at())
        elif state.read < run:  # nothing of them is in the draft yet, so each may be taken by itself
            give_back(history, thread)


def _told(thread: str, run: int, events: Sequence[ThreadEvent], reason: str) -> Post:
    whose = ", ".join(dict.fromkeys(one.author for one in events))
    text = (
        f"What {whose} said could not be read, twice ({reason}). It is set aside, and the thread goes on without it;"
        " please say it in other words."
    )
    return Post(f"{thread}.{run}.aside.{events[0].id}", thread, "note", text)


def _said(error: Exception) -> str:
    """An error in one line, with the place in our code that raised it."""
    (frame,) = traceback.extract_tb(error.__traceback__)[-1:] or (None,)
    where = "" if frame is None else f" at {frame.name}:{frame.lineno}"
    words = " ".join(str(error).split())[:_SHOWN]
    return f"{type(error).__name__}{where}: {words}"
