"""The way in for every channel: an event is stored, and nothing else is done, so that its sender need not wait."""

from __future__ import annotations

from pactkeeper.intent.thread_event import ThreadEvent
from pactkeeper.intent.ticket import Thread
from pactkeeper.store.thread_posts import Kept, put_event
from pactkeeper.store.threads import open_thread
from pactkeeper.tickets.ground import ThreadGround


def receive(ground: ThreadGround, thread: Thread, event: ThreadEvent) -> Kept:
    """Keep an event for its thread's next run, opening the thread where this is the first that is heard of it.

    "known" and "late" say that it is ignored: it came before, or after a later one was acted on.
    """
    with ground.history.database.begin():
        open_thread(ground.history, thread)
        return put_event(ground.history, event, now=ground.now(), window=ground.pace.window)
