"""A person's settings for threads: how long one must be quiet, when people are reminded, and where tickets go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pactkeeper.settings.file import Check, load, misfits, whole

FILE: Final = "threads.toml"


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
    found = {} if preferences is None else dict(load(preferences / FILE, lambda table: misfits(table, _CHECKS)))
    return ThreadSettings(**{**found, "members": frozenset(found.get("members", ()))})


def _members(value: object) -> str:
    fits = isinstance(value, list) and all(isinstance(one, str) and one for one in value)
    return "" if fits else "is no list of names such as 'ada'"


_CHECKS: Final[Mapping[str, Check]] = {
    "window_seconds": whole(0, 3600),
    "reminder_hours": whole(0, 24 * 90),
    "board": lambda value: "" if isinstance(value, str) else "is no name of a board; pk boards list shows them",
    "members": _members,
}
