"""What Slack tells of messages, read into values: who wrote what in which thread, and whether it calls for us.

Who speaks: a name for people to read, and behind it the id that cannot be taken by somebody else.
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
from pactkeeper.ledger.patch_text import whole_text
from pactkeeper.tickets.channels.slack import answered, part

_TS: Final = re.compile(r"(\d{1,12})\.(\d{6})")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
# The subtypes of what a person writes; all others are told by Slack itself or by programs.
_WRITTEN: Final = frozenset({"", "thread_broadcast", "file_share", "me_message"})


@dataclass(frozen=True, slots=True)
class Here:
    """Who we are at Slack: the id of the workspace, and those of our user and of our bot."""

    team: str
    user: str
    bot: str


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a message is: `root` is the first message of its thread, `ts` the message itself."""

    channel: str
    root: str
    ts: str


@dataclass(frozen=True, slots=True)
class Told:
    """What a person wrote, with its text as Slack has it.

    `id` is the same for everything that tells of the same words; an edit of a message has one of its own, which begins
    with the message. `sequence` counts microseconds by Slack's clock.
    """

    spot: Spot
    id: str
    kind: Literal["message", "mention"]
    user: str
    text: str
    sequence: int


def told(event: Mapping[str, Any], here: Here) -> Told | None:
    """Read an event `app_mention` or `message`; None where no person wrote anything with it.

    Raises InputError where a timestamp is none of Slack's.
    """
    changed = event.get("subtype") == "message_changed"
    message = part(event, "message") if changed else event
    if not from_a_person(message, here) or (changed and not _edited(event, message)):
        return None
    found = said(message, str(event.get("channel", "")), here, called=_calls(event))
    at = str(event.get("event_ts") or event.get("ts") or "")
    if not changed or not at:
        return found
    return replace(found, sequence=sequence_of(at))


def said(message: Mapping[str, Any], channel: str, here: Here, *, called: bool = False) -> Told:
    """A message that a person wrote, as an event or a list of replies holds it."""
    ts, edit = whole_text(str(message.get("ts", ""))), str(part(message, "edited").get("ts", ""))
    root, user = str(message.get("thread_ts") or ts), str(message["user"])
    text = whole_text(_text(message))
    mentioned = called or channel.startswith("D") or _names(text, here)
    return Told(
        Spot(whole_text(channel), whole_text(root), ts),
        f"{ts}:{edit}" if edit else ts,
        "mention" if mentioned else "message",
        whole_text(user),
        text,
        sequence_of(edit or ts),
    )


def from_a_person(message: Mapping[str, Any], here: Here) -> bool:
    """Whether a message is neither a program's nor our own, and somebody's words rather than a notice of Slack's."""
    user = message.get("user")
    if not isinstance(user, str) or user in {"", here.user, "USLACKBOT"} or message.get("bot_id"):
        return False
    return message.get("subtype", "") in _WRITTEN


def sequence_of(ts: str) -> int:
    """The place of a timestamp among all of a channel; raises InputError for what is none."""
    found = _TS.fullmatch(ts)
    if found is None:
        raise InputError(f"{ts!r} is no timestamp of Slack, such as '1700000000.000100'; nothing was kept")
    return int(found[1]) * 1_000_000 + int(found[2])


def at_of(sequence: int) -> str:
    """When something happened by Slack's clock, in ISO 8601."""
    return (_EPOCH + timedelta(microseconds=sequence)).isoformat(timespec="microseconds")


def ts_of(at: str) -> str:
    """The timestamp that `at_of` was made from."""
    whole = (datetime.fromisoformat(at) - _EPOCH) // timedelta(microseconds=1)
    return f"{whole // 1_000_000}.{whole % 1_000_000:06d}"


def _edited(event: Mapping[str, Any], message: Mapping[str, Any]) -> bool:
    """Whether the author changed the words; Slack tells of previews of links in the same way."""
    by = part(message, "edited").get("user")
    return bool(by == message.get("user") and message.get("text") != part(event, "previous_message").get("text"))


def _calls(event: Mapping[str, Any]) -> bool:
    return event.get("type") == "app_mention" or event.get("channel_type") == "im"


def _names(text: str, here: Here) -> bool:
    return f"<@{here.user}>" in text or f"<@{here.user}|" in text


def _text(message: Mapping[str, Any]) -> str:
    text = message.get("text")
    return text if isinstance(text, str) else ""


_ID: Final = re.compile(r"(?:.* \((?P<behind>[UW][A-Z0-9]+)\)|(?P<alone>[UW][A-Z0-9]+))")
_UNFIT: Final = re.compile(r"[()\[\]<>|`*_~\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
_LONGEST: Final = 60


def author(user: str, name: str) -> str:
    """How a person stands in drafts and tickets: `Ada (U0ADA)`, or the id alone where there is no name."""
    shown = " ".join(_UNFIT.sub(" ", name).split())[:_LONGEST].strip()
    return f"{shown} ({user})" if shown else user


def user_of(named: str) -> str:
    """The id behind an author; empty where there is none. A name that ends like an id stands before it."""
    found = _ID.fullmatch(named)
    return (found["behind"] or found["alone"]) if found else ""


class People:
    """Names by user id, asked for once each; the client must give up within what Slack waits for an acknowledgement."""

    def __init__(self, client: WebClient, tell: Callable[[str], None]) -> None:
        self._client, self._tell = client, tell
        self._names: dict[str, str] = {}
        self._lock = Lock()

    @property
    def names(self) -> dict[str, str]:
        """The names that are known by now."""
        with self._lock:
            return dict(self._names)

    def author(self, user: str, known: Iterable[str]) -> str:
        """Who speaks, under the name that a thread knows already, so that a new name makes nobody somebody else."""
        return next((one for one in known if user_of(one) == user), "") or author(user, self._name(user))

    def _name(self, user: str) -> str:
        """The person's full name, else the one that is shown; empty, and told, where Slack gives none now."""
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
    """Why Slack did not do something, in its own word where it gave one; never what was sent to it."""
    response = getattr(error, "response", None)
    data = getattr(response, "data", None)
    said = data.get("error") if isinstance(data, dict) else None
    if said:
        needed = data.get("needed") if isinstance(data, dict) else None
        return f"{said} (it needs {needed})" if needed else str(said)
    return f"{type(error).__name__}: {getattr(error, 'reason', '') or getattr(error, 'strerror', '') or 'no answer'}"
