"""How a person's threads are served, by `threads.toml` and `slack.toml`; tokens come only from the environment."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, get_args

from pactkeeper.errors import UsageError
from pactkeeper.settings.file import Check, is_whole, load, matching, misfits, secure_url, whole

FILE: Final = "slack.toml"
Mode = Literal["socket", "http"]
MODES: Final[tuple[Mode, ...]] = get_args(Mode)
BOT, APP, SIGNING = "SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "SLACK_SIGNING_SECRET"

_MOST_PORT: Final = 65_535
_CHANNEL, _USER = re.compile(r"[CDG][A-Z0-9]{1,30}"), re.compile(r"[UW][A-Z0-9]{1,30}")
# If both of these are set, Slack's library reads other tokens from other variables.
_DISTRIBUTED: Final = ("SLACK_CLIENT_ID", "SLACK_CLIENT_SECRET")
# By mode: the required variables, each with the prefix of its value.
_NEEDED: Final[Mapping[Mode, Mapping[str, str]]] = {
    "socket": {BOT: "xoxb-", APP: "xapp-"},
    "http": {BOT: "xoxb-", SIGNING: ""},
}


@dataclass(frozen=True, slots=True)
class SlackSettings:
    """Which channels are heard, who may approve, and how Slack reaches us.

    `channels` and `approvers` are ids; empty means every channel that the app was invited to, and anybody in a thread.
    HTTP is served at `host`, `port` and `path`; `base_url` is the address of the Web API.
    """

    channels: frozenset[str] = frozenset()
    approvers: frozenset[str] = frozenset()
    mode: Mode = "socket"
    host: str = "127.0.0.1"
    port: int = 3000
    path: str = "/slack/events"
    base_url: str = "https://slack.com/api/"


@dataclass(frozen=True, slots=True)
class SlackTokens:
    """Slack's tokens from the environment; those that the mode doesn't need may be empty. None is ever shown."""

    bot: str = field(default="", repr=False)
    app: str = field(default="", repr=False)
    signing: str = field(default="", repr=False)


def slack_settings(preferences: Path | None) -> SlackSettings:
    """Read `slack.toml` in the folder of preferences; the defaults if there is none.

    Raises SettingsError naming every problem of the file.
    """
    found = dict(load(preferences, FILE, lambda table: misfits(table, _CHECKS)))
    for key in ("channels", "approvers"):
        found[key] = frozenset(found.get(key, ()))
    return SlackSettings(**found)


def slack_tokens(mode: Mode, variables: Mapping[str, str] | None = None) -> SlackTokens:
    """The tokens that a mode needs; raises UsageError naming every missing one, without showing any."""
    said = os.environ if variables is None else variables
    held = {name: said.get(name, "").strip() for name in (BOT, APP, SIGNING)}
    wrong = [
        f"{name} {'holds something else' if held[name] else 'is not set'}{start and f' (it begins with {start})'}"
        for name, start in _NEEDED[mode].items()
        if not held[name] or not held[name].startswith(start)
    ]
    if all(said.get(name) for name in _DISTRIBUTED):
        wrong.append(f"{' and '.join(_DISTRIBUTED)} are set, which Slack's library reads as an app for many workspaces")
    if wrong:
        raise UsageError(f"Slack cannot be served in mode {mode!r}: {'; '.join(wrong)} (see docs/slack.md)")
    return SlackTokens(held[BOT], held[APP], held[SIGNING])


def _ids(pattern: re.Pattern[str], example: str) -> Check:
    def check(value: object) -> str:
        fits = isinstance(value, list) and all(isinstance(one, str) and pattern.fullmatch(one) for one in value)
        return "" if fits else f"is not a list of ids such as {example!r}; names are not ids"

    return check


def _mode(value: object) -> str:
    return "" if value in MODES else f"is none of {', '.join(MODES)}"


def _port(value: object) -> str:
    return "" if is_whole(value, 0, _MOST_PORT) else f"is not a port from 0 to {_MOST_PORT:,}; 0 takes any that is free"


# By key of the file: describes what is wrong with a value; empty if nothing is.
_CHECKS: Final[Mapping[str, Check]] = {
    "channels": _ids(_CHANNEL, "C0123456789"),
    "approvers": _ids(_USER, "U0123456789"),
    "mode": _mode,
    "host": matching(r"[A-Za-z0-9.:-]+", "is not an address of this machine, such as '127.0.0.1'"),
    "port": _port,
    "path": matching(r"/[A-Za-z0-9._~/-]*", "is not a path such as '/slack/events'"),
    "base_url": secure_url("https://slack.com/api/"),
}


# By bot scope: its purpose, as reported if it is missing.
SCOPES: Final[Mapping[str, str]] = {
    "app_mentions:read": "know when it is mentioned",
    "channels:history": "read the rest of its threads in public channels",
    "groups:history": "read the rest of its threads in private channels it was invited to",
    "im:history": "read direct messages",
    "mpim:history": "read its threads in group messages",
    "chat:write": "ask, show previews, and announce tickets",
    "users:read": "call people by their names",
}
EVENTS: Final = ("app_mention", "message.channels", "message.groups", "message.im", "message.mpim")
APP_SCOPE: Final = "connections:write"  # of the app-level token, for Socket Mode


def manifest(name: str, url: str = "") -> dict[str, Any]:
    """The manifest of an app in Socket Mode, or of one that Slack reaches over HTTP at `url`."""
    address = {"request_url": url} if url else {}
    return {
        "_metadata": {"major_version": 1, "minor_version": 1},
        "display_information": {
            "name": name,
            "description": "Turns what people say in a thread into a ticket that one of them approves.",
        },
        "features": {
            "app_home": {
                "home_tab_enabled": False,
                "messages_tab_enabled": True,
                "messages_tab_read_only_enabled": False,
            },
            "bot_user": {"display_name": name.lower(), "always_online": True},
        },
        "oauth_config": {"scopes": {"bot": sorted(SCOPES)}},
        "settings": {
            "event_subscriptions": {**address, "bot_events": list(EVENTS)},
            "interactivity": {"is_enabled": True, **address},
            "org_deploy_enabled": False,
            "socket_mode_enabled": not url,
            "token_rotation_enabled": False,
        },
    }


THREADS_FILE: Final = "threads.toml"


@dataclass(frozen=True, slots=True)
class ThreadSettings:
    """Seconds of quiet before messages are read, hours until the only reminder, and the board; empty for the default.

    `members` are the people whose words count, by the name or id that their channel uses; empty for everybody.
    """

    window_seconds: int = 30
    reminder_hours: int = 24
    board: str = ""
    members: frozenset[str] = frozenset()


def thread_settings(preferences: Path | None) -> ThreadSettings:
    """Read `threads.toml` in the folder of preferences; the defaults if there is none.

    Raises SettingsError naming every problem of the file.
    """
    found = load(preferences, THREADS_FILE, lambda table: misfits(table, _THREAD_CHECKS))
    return ThreadSettings(**{**found, "members": frozenset(found.get("members", ()))})


def _members(value: object) -> str:
    fits = isinstance(value, list) and all(isinstance(one, str) and one for one in value)
    return "" if fits else "is not a list of names such as 'ada'"


_THREAD_CHECKS: Final[Mapping[str, Check]] = {
    "window_seconds": whole(0, 3600),
    "reminder_hours": whole(0, 24 * 90),
    "board": lambda value: "" if isinstance(value, str) else "is not a valid board name; pk boards list shows them",
    "members": _members,
}
