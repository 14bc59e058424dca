"""What every listener stands on: who we are at Slack, what the person set up, their history, and the work behind."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Final

from slack_sdk import WebClient
from slack_sdk.errors import SlackClientError

from pactkeeper.doors.slack.events import Here, Spot
from pactkeeper.doors.slack.people import People, reason_of
from pactkeeper.doors.slack.work import Work
from pactkeeper.operators.thread_ground import Desk
from pactkeeper.settings.slack import SlackSettings

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
            self.client.chat_postEphemeral(channel=spot.channel, user=user, thread_ts=spot.root, text=text)
        except (SlackClientError, OSError) as error:
            self.tell(f"{user} could not be told in {spot.channel}: {reason_of(error)}; it was: {text}")
