"""What every listener stands on: who we are at Slack, what the person set up, their history, and the work behind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from slack_sdk import WebClient
from slack_sdk.errors import SlackClientError

from pactkeeper.doors.slack.events import Here, Spot
from pactkeeper.doors.slack.people import People, reason_of
from pactkeeper.doors.slack.recent import Recent
from pactkeeper.doors.slack.work import Work
from pactkeeper.operators.thread_ground import Desk
from pactkeeper.settings.slack import SlackSettings

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
