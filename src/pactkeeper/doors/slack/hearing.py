"""Hearing what people write: where it calls us or stands in a thread of ours it is kept, and else it is not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pactkeeper.doors.slack.door import Door
from pactkeeper.doors.slack.events import Spot, Told, at_of, told
from pactkeeper.intent.thread_event import AT_ONCE, ThreadEvent
from pactkeeper.intent.ticket import Thread
from pactkeeper.operators.slack import amend_waiting, authors_in, hear_event, is_bound
from pactkeeper.store.thread_inbox import Kept
from pactkeeper.tickets.channels.slack import thread_of
from pactkeeper.tickets.channels.slack_text import escaped, read_text

_DEAF: Final = (
    "I do not listen in this channel, and keep nothing of it. Its id is {channel}; whoever runs me can name that in "
    "slack.toml."
)
_LATE: Final = (
    "A message of yours reached me after later ones were read, so I left it out. Say it again if it still holds."
)


def hear(door: Door, event: Mapping[str, Any]) -> str:
    """Keep what an event tells, and have it read soon; gives its thread.

    Empty where it is nothing for us, and then nothing is kept of it.
    """
    found = told(event, door.here)
    if found is None:
        return ""
    if door.listens(found.spot.channel):
        return keep(door, found)
    if event.get("type") == "app_mention":
        door.whisper(found.spot, found.user, _DEAF.format(channel=escaped(found.spot.channel)))
    return ""


def keep(door: Door, found: Told) -> str:
    """Keep words that call us, or stand in a thread that somebody called us to; gives the thread, as `hear` does."""
    name = thread_named(door, found.spot)
    bound = bool(is_bound(door.desk, name))
    text = read_text(found.text, bot=door.here.user, names=door.people.names)
    if found.kind == "message" and not (bound and text):
        return ""
    edits = found.spot.ts if found.id != found.spot.ts else ""
    if edits and amend_waiting(door.desk, name, edits, text):
        return name
    by = door.people.author(found.user, authors_in(door.desk, name) if bound else ())
    at = at_of(found.sequence)
    thread = thread_of(door.here.team, found.spot.channel, found.spot.root, by, at)
    event = ThreadEvent(found.id, thread.id, found.kind, by, at, text, sequence=found.sequence, edits=edits)
    if put(door, thread, event) == "late":
        door.whisper(found.spot, found.user, _LATE)
    return name


def put(door: Door, thread: Thread, event: ThreadEvent) -> Kept:
    """Keep an event, and have its thread run where the event waits for nothing; a late one is told."""
    kept = hear_event(door.desk, thread, event)
    if kept == "late":
        door.tell(f"{event.kind} {event.id} in {thread.id} came after a later one was acted on; it is kept and shown")
    elif kept == "waiting" and event.kind in AT_ONCE:
        door.work.put(thread.id)
    return kept


def thread_named(door: Door, spot: Spot) -> str:
    """The id of the thread that a message opens or stands in."""
    return thread_of(door.here.team, spot.channel, spot.root, "", "").id
