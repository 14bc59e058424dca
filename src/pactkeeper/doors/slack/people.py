"""Who speaks: a name for people to read, and behind it the id that cannot be taken by somebody else."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from threading import Lock
from typing import Any, Final

from slack_sdk import WebClient
from slack_sdk.errors import SlackClientError

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
            found: dict[str, Any] = self._client.users_info(user=user).get("user") or {}
        except (SlackClientError, OSError) as error:
            self._tell(f"{user} is called by the id, since Slack does not tell the name: {reason_of(error)}")
            return ""
        profile = found.get("profile") or {}
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
