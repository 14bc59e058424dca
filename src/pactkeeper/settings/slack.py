"""How a person serves Slack: `slack.toml` among their settings files; tokens come from the environment only."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, get_args

from pactkeeper.errors import UsageError
from pactkeeper.settings.file import Check, is_whole, load, matching, misfits, secure_url

FILE: Final = "slack.toml"
Mode = Literal["socket", "http"]
MODES: Final[tuple[Mode, ...]] = get_args(Mode)
BOT, APP, SIGNING = "SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "SLACK_SIGNING_SECRET"

_MOST_PORT: Final = 65_535
_CHANNEL, _USER = re.compile(r"[CDG][A-Z0-9]{1,30}"), re.compile(r"[UW][A-Z0-9]{1,30}")
# Slack's library would ask other variables for other tokens where both of these are set.
_DISTRIBUTED: Final = ("SLACK_CLIENT_ID", "SLACK_CLIENT_SECRET")
# By mode: the variables it cannot do without, each with what its value begins with.
_NEEDED: Final[Mapping[Mode, Mapping[str, str]]] = {
    "socket": {BOT: "xoxb-", APP: "xapp-"},
    "http": {BOT: "xoxb-", SIGNING: ""},
}


@dataclass(frozen=True, slots=True)
class SlackSettings:
    """Where Slack is listened to, who may approve, and how it reaches us.

    `channels` and `approvers` are ids; empty for every channel that the app was invited to, and for everybody in a
    thread. `host`, `port` and `path` are where HTTP is listened to, `base_url` is where the Web API answers.
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
    """What the environment holds for Slack; a value that the mode does not need may be empty. None is ever shown."""

    bot: str = field(default="", repr=False)
    app: str = field(default="", repr=False)
    signing: str = field(default="", repr=False)


def slack_settings(preferences: Path | None) -> SlackSettings:
    """Read `slack.toml` in the folder of preferences; defaults where there is none.

    Raises SettingsError with every problem of the file.
    """
    found = {} if preferences is None else dict(load(preferences / FILE, lambda table: misfits(table, _CHECKS)))
    for key in ("channels", "approvers"):
        found[key] = frozenset(found.get(key, ()))
    return SlackSettings(**found)


def slack_tokens(mode: Mode, variables: Mapping[str, str] | None = None) -> SlackTokens:
    """The tokens that a mode needs; raises UsageError that names all that are missing, and shows none."""
    said = os.environ if variables is None else variables
    held = {name: said.get(name, "").strip() for name in (BOT, APP, SIGNING)}
    wrong = [
        f"{name} {'holds something else' if held[name] else 'is not set'}{start and f' (it begins with {start})'}"
        for name, start in _NEEDED[mode].items()
        if not held[name] or not held[name].startswith(start)
    ]
    if all(said.get(name) for name in _DISTRIBUTED):
        wrong.append(f"{' and '.join(_DISTRIBUTED)} are set, which Slack's library takes for an app of many workspaces")
    if wrong:
        raise UsageError(f"Slack cannot be served in mode {mode!r}: {'; '.join(wrong)} (docs/slack.md says how)")
    return SlackTokens(held[BOT], held[APP], held[SIGNING])


def _ids(pattern: re.Pattern[str], example: str) -> Check:
    def check(value: object) -> str:
        fits = isinstance(value, list) and all(isinstance(one, str) and pattern.fullmatch(one) for one in value)
        return "" if fits else f"is no list of ids such as {example!r}; names are not ids"

    return check


def _mode(value: object) -> str:
    return "" if value in MODES else f"is none of {', '.join(MODES)}"


def _port(value: object) -> str:
    return "" if is_whole(value, 0, _MOST_PORT) else f"is no port from 0 to {_MOST_PORT:,}; 0 takes any that is free"


# By key of the file: what is wrong with a value; empty where nothing is.
_CHECKS: Final[Mapping[str, Check]] = {
    "channels": _ids(_CHANNEL, "C0123456789"),
    "approvers": _ids(_USER, "U0123456789"),
    "mode": _mode,
    "host": matching(r"[A-Za-z0-9.:-]+", "is no address of this machine, such as '127.0.0.1'"),
    "port": _port,
    "path": matching(r"/[A-Za-z0-9._~/-]*", "is no path such as '/slack/events'"),
    "base_url": secure_url("https://slack.com/api/"),
}
