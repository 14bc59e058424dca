"""What every Slack listener shares: our identity at Slack, the settings, the history, and the background work.

Messages are heard here too: those that mention us or belong to one of our threads are stored, others are not.
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

APART: Final = 1_000_000  # microseconds on Slack's clock within which identical clicks by a person count as one
_MOST: Final = 1_000


class Recent:
    """Recent clicks, with their time on Slack's clock, so that the order of arrival doesn't matter."""

    def __init__(self) -> None:
        self._at: OrderedDict[tuple[str, ...], int] = OrderedDict()
        self._lock = Lock()

    def again(self, click: tuple[str, ...], sequence: int) -> bool:
        """Whether the same click was made just before or after; records it if not. An identical event is no repeat."""
        with self._lock:
            before = self._at.get(click)
            if before is not None and before != sequence and abs(sequence - before) < APART:
                return True
            self._at[click] = sequence
            self._at.move_to_end(click)
            if len(self._at) > _MOST:
                self._at.popitem(last=False)
            return False


CHANNEL: Final = "slack"  # the channel name of this interface's threads


@dataclass(frozen=True, slots=True)
class Door:
    """The parts of the interface; `desk` is for storing and reading, runs open their own.

    `client` times out before Slack stops waiting for an acknowledgement, `patient` later.
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
        """Whether messages in a channel are heard at all."""
        return not self.settings.channels or channel in self.settings.channels

    def whisper(self, spot: Spot, user: str, text: str) -> None:
        """Tell one person something in a thread, in the background; if Slack refuses it, that is reported."""
        self.work.aside(lambda: self._whisper(spot, user, text))

    def _whisper(self, spot: Spot, user: str, text: str) -> None:
        try:
            say = self.client.chat_postEphemeral
            answered(lambda: say(channel=spot.channel, user=user, thread_ts=spot.root, text=text))
        except (SlackClientError, OSError) as error:
            self.tell(f"{user} could not be told in {spot.channel}: {reason_of(error)}; it was: {text}")


_DEAF: Final = (
    "I do not listen in this channel and store nothing from it. Its id is {channel}; whoever runs me can add it "
    "to slack.toml."
)
_LATE: Final = "A message of yours arrived after later ones were read, so I skipped it. Repeat it if it still holds."


def hear(door: Door, event: Mapping[str, Any]) -> str:
    """Store what an event says, to be read soon; returns the id of its thread.

    Empty if the event doesn't concern us; then nothing of it is stored.
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
    """Store words that mention us, or that are in a thread we were called to; returns the thread, as `hear` does."""
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
    """Store an event, and run its thread if events of its kind are handled at once; a late one is reported."""
    kept = hear_event(door.desk, thread, event)
    if kept == "late":
        door.tell(f"{event.kind} {event.id} in {thread.id} came after a later one was acted on; it is kept and shown")
    elif kept == "waiting" and event.kind in AT_ONCE:
        door.work.put(thread.id)
    return kept


def thread_named(door: Door, spot: Spot) -> str:
    """The id of the thread that a message starts or belongs to."""
    return thread_of(door.here.team, spot.channel, spot.root, "", "").id
