"""A person's settings for threads: how long one must be quiet, when it is reminded, and where tickets go."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pactkeeper.settings.transcripts import load

FILE: Final = "threads.toml"
_LONGEST_WINDOW: Final = 3600
_LONGEST_REMINDER: Final = 24 * 90
_KEYS: Final = ("window_seconds", "reminder_hours", "board", "members")


@dataclass(frozen=True, slots=True)
class ThreadSettings:
    """Seconds of quiet before messages are read, hours until the one reminder, and the board; empty for the default.

    `members` are the people whose words count, by the name or id that their channel gives them; empty for everybody.
    """

    window_seconds: int = 30
    reminder_hours: int = 24
    board: str = ""
    members: frozenset[str] = frozenset()


def thread_settings(preferences: Path | None) -> ThreadSettings:
    """Read `threads.toml` in the folder of preferences; defaults where there is none.

    Raises SettingsError with every problem of the file.
    """
    found = {} if preferences is None else dict(load(preferences / FILE, _problems))
    return ThreadSettings(**{**found, "members": frozenset(found.get("members", ()))})


def _problems(found: Mapping[str, Any]) -> Iterator[str]:
    for key in found:
        if key not in _KEYS:
            yield f"the key {key!r} is not known; known are {', '.join(_KEYS)}"
    for key, most in (("window_seconds", _LONGEST_WINDOW), ("reminder_hours", _LONGEST_REMINDER)):
        value = found.get(key, 1)
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most:
            yield f"{key} = {value!r} is no whole number from 0 to {most:,}"
    members = found.get("members", [])
    if not isinstance(members, list) or not all(isinstance(one, str) and one for one in members):
        yield f"members = {members!r} is no list of names such as 'ada'"
    if not isinstance(found.get("board", ""), str):
        yield f"board = {found['board']!r} is no name of a board; pk boards list shows them"
