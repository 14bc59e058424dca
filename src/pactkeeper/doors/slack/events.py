"""Slack's message events as values: who wrote what in which thread, and whether it mentions us.

An author is shown as a display name, followed by the id, which nobody else can take.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import Any, Final, Literal

from slack_sdk import WebClient
from slack_sdk.errors import SlackClientError

from pactkeeper.errors import InputError
from pactkeeper.ledger.documents import whole_text
from pactkeeper.tickets.channels.slack import answered, part

_TS: Final = re.compile(r"(\d{1,12})\.(\d{6})")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
# The subtypes of what a person writes; all others come from Slack itself or from programs.
_WRITTEN: Final = frozenset({"", "thread_broadcast", "file_share", "me_message"})


@dataclass(frozen=True, slots=True)
class Here:
    """Our identity at Slack: the ids of the workspace and of our user."""

    team: str
    user: str


@dataclass(frozen=True, slots=True)
class Spot:
    """The location of a message: `root` is the first message of its thread, `ts` the message itself."""

    channel: str
    root: str
    ts: str


@dataclass(frozen=True, slots=True)
class Told:
    """What a person wrote, in Slack's markup.

    `id` is the same for every event about the same words; an edit has its own, which begins with the message's.
    `sequence` counts microseconds on Slack's clock.
    """

    spot: Spot
    id: str
    kind: Literal["message", "mention"]
    user: str
    text: str
    sequence: int


def told(event: Mapping[str, Any], here: Here) -> Told | None:
    """Parse an `app_mention` or `message` event; None if no person wrote anything.

    Raises InputError if a timestamp is not in Slack's format.
    """
    changed = event.get("subtype") == "message_changed"
    message = part(event, "message") if changed else event
    if not from_a_person(message, here) or (changed and not _edited(event, message)):
        return None
    called = event.get("type") == "app_mention" or event.get("channel_type") == "im"
    found = said(message, str(event.get("channel", "")), here, called=called)
    at = str(event.get("event_ts") or event.get("ts") or "")
    if not changed or not at:
        return found
    return replace(found, sequence=sequence_of(at))


def said(message: Mapping[str, Any], channel: str, here: Here, *, called: bool = False) -> Told:
    """A message that a person wrote, from an event or a list of replies."""
    ts, edit = whole_text(str(message.get("ts", ""))), str(part(message, "edited").get("ts", ""))
    root, user = str(message.get("thread_ts") or ts), str(message["user"])
    text = whole_text(_text(message))
    mentioned = called or channel.startswith("D") or f"<@{here.user}>" in text or f"<@{here.user}|" in text
    return Told(
        Spot(whole_text(channel), whole_text(root), ts),
        f"{ts}:{edit}" if edit else ts,
        "mention" if mentioned else "message",
        whole_text(user),
        text,
        sequence_of(edit or ts),
    )


def from_a_person(message: Mapping[str, Any], here: Here) -> bool:
    """Whether a message was written by a person: not by a program or by us, and not one of Slack's notices."""
    user = message.get("user")
    if not isinstance(user, str) or user in {"", here.user, "USLACKBOT"} or message.get("bot_id"):
        return False
    return message.get("subtype", "") in _WRITTEN


def sequence_of(ts: str) -> int:
    """The position of a timestamp in a channel's order; raises InputError for an invalid one."""
    found = _TS.fullmatch(ts)
    if found is None:
        raise InputError(f"{ts!r} is not a Slack timestamp, such as '1700000000.000100'; nothing was kept")
    return int(found[1]) * 1_000_000 + int(found[2])


def at_of(sequence: int) -> str:
    """The time on Slack's clock, in ISO 8601."""
    return (_EPOCH + timedelta(microseconds=sequence)).isoformat(timespec="microseconds")


def ts_of(at: str) -> str:
    """The timestamp that `at_of` was made from."""
    whole = (datetime.fromisoformat(at) - _EPOCH) // timedelta(microseconds=1)
    return f"{whole // 1_000_000}.{whole % 1_000_000:06d}"


def _edited(event: Mapping[str, Any], message: Mapping[str, Any]) -> bool:
    """Whether the author changed the text; Slack sends the same event for link previews."""
    by = part(message, "edited").get("user")
    return bool(by == message.get("user") and message.get("text") != part(event, "previous_message").get("text"))


def _text(message: Mapping[str, Any]) -> str:
    text = message.get("text")
    return text if isinstance(text, str) else ""


_ID: Final = re.compile(r"(?:.* \((?P<behind>[UW][A-Z0-9]+)\)|(?P<alone>[UW][A-Z0-9]+))")
_UNFIT: Final = re.compile(r"[()\[\]<>|`*_~\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
_LONGEST: Final = 60


def author(user: str, name: str) -> str:
    """A person's name in drafts and tickets: `Ada (U0ADA)`, or only the id if there is no name."""
    shown = " ".join(_UNFIT.sub(" ", name).split())[:_LONGEST].strip()
    return f"{shown} ({user})" if shown else user


def user_of(named: str) -> str:
    """The id of an author, empty if there is none; it comes last, since a name may end like an id."""
    found = _ID.fullmatch(named)
    return (found["behind"] or found["alone"]) if found else ""


class People:
    """Names by user id, each looked up once; the client must time out within Slack's wait for an acknowledgement."""

    def __init__(self, client: WebClient, tell: Callable[[str], None]) -> None:
        self._client, self._tell = client, tell
        self._names: dict[str, str] = {}
        self._lock = Lock()

    @property
    def names(self) -> dict[str, str]:
        """The names known so far."""
        with self._lock:
            return dict(self._names)

    def author(self, user: str, known: Iterable[str]) -> str:
        """The author, under the name that a thread already uses, so that a rename makes nobody a different person."""
        return next((one for one in known if user_of(one) == user), "") or author(user, self._name(user))

    def _name(self, user: str) -> str:
        """The person's full name, or the displayed one; empty, and reported, if Slack returns none."""
        with self._lock:
            if user in self._names:
                return self._names[user]
        try:
            found = part(answered(lambda: self._client.users_info(user=user)), "user")
        except (SlackClientError, OSError) as error:
            self._tell(f"{user} is called by the id, since Slack does not tell the name: {reason_of(error)}")
            return ""
        profile = part(found, "profile")
        name = str(profile.get("real_name") or profile.get("display_name") or found.get("name") or "")
        with self._lock:
            self._names[user] = name
        return name


def reason_of(error: Exception) -> str:
    """Why Slack did not do something, in its own word if it gave one; never what was sent to it."""
    response = getattr(error, "response", None)
    data = getattr(response, "data", None)
    said = data.get("error") if isinstance(data, dict) else None
    if said:
        needed = data.get("needed") if isinstance(data, dict) else None
        return f"{said} (it needs {needed})" if needed else str(said)
    return f"{type(error).__name__}: {getattr(error, 'reason', '') or getattr(error, 'strerror', '') or 'no answer'}"
