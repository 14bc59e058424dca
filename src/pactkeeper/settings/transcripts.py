"""A person's settings for transcripts: where agents keep them, how long one must be quiet, what actions may do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pactkeeper.intent.routing import Routing
from pactkeeper.settings.actions import Restraint, problems_of, restraint_of
from pactkeeper.settings.routing import DAYS, routing_of, routing_problems
from pactkeeper.settings.syntax import load

FILE: Final = "transcripts.toml"
PLACES: Final = ("~/.claude/projects", "~/.codex/sessions")
QUIET_MINUTES: Final = 5
_LONGEST: Final = 24 * 60
_KEYS: Final = ("places", "quiet_minutes", "actions", "routing")


@dataclass(frozen=True, slots=True)
class TranscriptSettings:
    """Folders or files to look into, and for how many minutes nobody may have written to one that is read.

    `days` is how old what is held against boards may be.
    """

    places: tuple[Path, ...]
    quiet_minutes: int = QUIET_MINUTES
    restraint: Restraint = field(default_factory=Restraint)
    routing: Routing = field(default_factory=Routing)
    days: int = DAYS


def transcript_settings(preferences: Path | None) -> TranscriptSettings:
    """Read `transcripts.toml` in the folder of preferences; defaults where there is none.

    Raises InputError with every problem of the file.
    """
    found = load(preferences / FILE, _problems) if preferences is not None else {}
    places = found.get("places", PLACES)
    return TranscriptSettings(
        tuple(Path(one).expanduser() for one in places),
        found.get("quiet_minutes", QUIET_MINUTES),
        restraint_of(found.get("actions", {})),
        routing_of(found.get("routing", {})),
        found.get("routing", {}).get("days", DAYS),
    )


def _problems(found: Mapping[str, Any]) -> Iterator[str]:
    for key in found:
        if key not in _KEYS:
            yield f"the key {key!r} is not known; known are {', '.join(_KEYS)}"
    places = found.get("places", [])
    if not isinstance(places, list) or not all(isinstance(one, str) and _is_whole(one) for one in places):
        yield f"places = {places!r} is no list of absolute paths or paths that begin with ~/"
    quiet = found.get("quiet_minutes", QUIET_MINUTES)
    if not isinstance(quiet, int) or isinstance(quiet, bool) or not 0 <= quiet <= _LONGEST:
        yield f"quiet_minutes = {quiet!r} is no whole number from 0 to {_LONGEST:,}"
    yield from problems_of(found.get("actions", {}))
    yield from routing_problems(found.get("routing", {}))


def _is_whole(text: str) -> bool:
    return text.startswith("~/") or Path(text).is_absolute()
