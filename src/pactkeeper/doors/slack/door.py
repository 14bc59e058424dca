"""What every listener stands on: who we are at Slack, what the person set up, their history, and the work behind.

Hearing what people write: where it calls us or stands in a thread of ours it is kept, and else it is not.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Final

from slack_sdk import WebClient
from slack_sdk.errors import SlackClientError

from pactkeeper.doors.slack.events import Here, People, Spot, Told, at_of, reason_of, told
from pactkeeper.doors.slack.work import Work
from pactkeeper.intent.thread_event import AT_ONCE, ThreadEvent
from pactkeeper.intent.ticket import Thread
from pactkeeper.operators.slack import amend_waiting, authors_in, hear_event, is_bound
from pactkeeper.operators.thread_ground import Desk
from pactkeeper.settings.slack import SlackSettings
from pactkeeper.store.thread_posts import Kept
from pactkeeper.tickets.channels.slack import answered, thread_of
from pactkeeper.tickets.channels.slack_rich import escaped, read_text

APART: Final = 1_000_000  # microseconds by Slack's clock within which the same click of the same person is one
_MOST: Final = 1_000


class Recent:
    """The last clicks by what they are; told by Slack's clock, so that it does not matter when they arrive."""

    def __init__(self) -> None:
        self._at: OrderedDict[tuple[str, ...], int] = OrderedDict()
        self._lock = Lock()

    def again(self, click: tuple[str, ...], sequence: int) -> bool:
        """Whether the same was clicked just before or after; notes it where not. The very same event is no other."""
        with self._lock:
            before = self._at.get(click)
            if before is not None and before != sequence and abs(sequence - before) < APART:
                return True
            self._at[click] = sequence
            self._at.move_to_end(click)
            if len(self._at) > _MOST:
                self._at.popitem(last=False)
            return False


CHANNEL: Final = "slack"  # what threads of this door say of their channel


@dataclass(frozen=True, slots=True)
class Door:
    """The parts of a door; `desk` is for keeping and looking, runs open one of their own.

    `client` gives up within the time in which Slack wants an acknowledgement, `patient` later.
    """

    here: Here
    settings: SlackSettings
    desk: Desk
    client: WebClient
    patient: WebClient
    people: People
    work: Work
    tell: Callable[[str], None]
    clicks: Recent = field(default_factory=Recent)

    def listens(self, channel: str) -> bool:
        """Whether what is said in a channel is heard at all."""
        return not self.settings.channels or channel in self.settings.channels

    def whisper(self, spot: Spot, user: str, text: str) -> None:
        """Tell one person something in a thread, soon; where Slack does not take it, that is told here."""
        self.work.aside(lambda: self._whisper(spot, user, text))

    def _whisper(self, spot: Spot, user: str, text: str) -> None:
        try:
            say = self.client.chat_postEphemeral
            answered(lambda: say(channel=spot.channel, user=user, thread_ts=spot.root, text=text))
        except (SlackClientError, OSError) as error:
            self.tell(f"{user} could not be told in {spot.channel}: {reason_of(error)}; it was: {text}")


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
