"""A person's settings for transcripts: where agents keep them, how long they must be quiet, and what actions may do.

The table `[routing]` of transcripts.toml says where documents and tasks go.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, Final

from pactkeeper.intent.actions import BOARD_VERBS, HIGH, LOW
from pactkeeper.intent.routing import CONTEXT, NEVER, SECTIONS, RoutedSection, Routing
from pactkeeper.settings.file import Check, is_whole, load, misfits, text, texts, whole

# Above the points of any action, so this threshold is never reached.
OUT_OF_REACH: Final = 101
# A merge shows that code went in, and only a person knows whether the task is done with that.
BY_PEOPLE: Final[Mapping[str, int]] = {"completeTask": OUT_OF_REACH}
PER_RUN: Final = 25
PER_DAY: Final = 50
DOLLARS: Final = 1_000_000
_LEAST: Final[Mapping[str, int]] = {"auto": HIGH + 1, "ask": LOW}
_MOST_COUNT: Final = 1000
_MOST_DOLLARS: Final = 1000


@dataclass(frozen=True, slots=True)
class Restraint:
    """Minimum points for a verb to run automatically (`auto`), or to be proposed at all (`ask`).

    What is in `BY_PEOPLE` runs automatically only where `auto` says from which points on.
    `per_run` and `per_day` limit how many actions run automatically, across all verbs; `dollars` is what models may
    cost in a day before a person is notified, in millionths of a dollar.
    """

    auto: Mapping[str, int] = field(default_factory=lambda: BY_PEOPLE)
    ask: Mapping[str, int] = field(default_factory=dict)
    per_run: int = PER_RUN
    per_day: int = PER_DAY
    dollars: int = DOLLARS


def restraint_of(found: Mapping[str, Any]) -> Restraint:
    """Read the table, once `problems_of` has found no problems."""
    dollars = found.get("dollars_a_day")
    return Restraint(
        {**BY_PEOPLE, **found.get("auto", {})},
        found.get("ask", {}),
        found.get("per_run", PER_RUN),
        found.get("per_day", PER_DAY),
        DOLLARS if dollars is None else int(Decimal(dollars) * 1_000_000),
    )


def problems_of(found: object) -> Iterator[str]:
    """Every problem of the table."""
    if not isinstance(found, dict):
        yield f"actions = {found!r} is not a table; write [actions]"
        return
    yield from misfits(found, _ACTIONS, "actions")
    for key, least in _LEAST.items():
        yield from _thresholds(key, found.get(key, {}), least)


def _thresholds(key: str, found: object, least: int) -> Iterator[str]:
    if not isinstance(found, dict):
        yield f"actions.{key} = {found!r} is not a table from verb to points"
        return
    for verb, points in found.items():
        if verb not in BOARD_VERBS:
            yield f"actions.{key}.{verb} is not an action; known are {', '.join(BOARD_VERBS)}"
        elif not is_whole(points, least, OUT_OF_REACH):
            yield (
                f"actions.{key}.{verb} = {points!r} is not a whole number from {least} to {OUT_OF_REACH}, which "
                "is never"
            )


def _dollars(value: object) -> str:
    try:
        fits = isinstance(value, str) and 0 <= Decimal(value) <= _MOST_DOLLARS
    except InvalidOperation:
        fits = False
    return "" if fits else 'is not an amount such as "1.00"'


def _told_apart(_: object) -> str:
    """A check for a table whose problems are found key by key."""
    return ""


_ACTIONS: Final[Mapping[str, Check]] = {
    **dict.fromkeys(_LEAST, _told_apart),
    "per_run": whole(0, _MOST_COUNT),
    "per_day": whole(0, _MOST_COUNT),
    "dollars_a_day": _dollars,
}


DAYS: Final = 30
_SECTION_KEYS: Final = ("name", "words", "prefix")


def routing_of(found: Mapping[str, Any]) -> Routing:
    """Read the table, once `routing_problems` has found no problems."""
    sections = tuple(
        RoutedSection(one["name"], tuple(one.get("words", ())), one.get("prefix", ""))
        for one in found.get("sections", ())
    )
    return Routing(
        sections or SECTIONS,
        found.get("tasks", ""),
        found.get("documents", ""),
        found.get("domains", {}),
        tuple(dict.fromkeys((*NEVER, *found.get("never", ())))),
        tuple(found.get("active_context", CONTEXT)),
    )


def routing_problems(found: object) -> Iterator[str]:
    """Every problem of the table."""
    if not isinstance(found, dict):
        yield f"routing = {found!r} is not a table; write [routing]"
        return
    yield from misfits(found, _ROUTING, "routing")
    yield from _section_problems(found.get("sections", []))


def _section_problems(found: object) -> Iterator[str]:
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        yield f"routing.sections = {found!r} is not a list of tables; write [[routing.sections]]"
        return
    for number, one in enumerate(found, start=1):
        place = f"routing.sections {number}"
        yield from (f"{place}: the key {key!r} is not known" for key in one if key not in _SECTION_KEYS)
        if text(one.get("name")) or str(one.get("name")).casefold() in {name.casefold() for name in NEVER}:
            yield f"{place}: name = {one.get('name')!r} is not a section that documents may go to"
        if wrong := texts(one.get("words", [])):
            yield f"{place}: words = {one['words']!r} {wrong}"
        if not isinstance(one.get("prefix", ""), str):
            yield f"{place}: prefix = {one['prefix']!r} is no text"
    names = [str(one.get("name")) for one in found]
    if len(set(names)) < len(names):
        yield f"routing.sections: a section is listed twice: {', '.join(names)}"


def _board(value: object) -> str:
    return text(value) and "is not a board name"


def _domains(value: object) -> str:
    fits = isinstance(value, dict) and not any(map(text, value.values()))
    return "" if fits else "is not a table from folder name to board"


_ROUTING: Final[Mapping[str, Check]] = {
    "tasks": _board,
    "documents": _board,
    "never": texts,
    "active_context": texts,
    "days": whole(1, 3650),
    "domains": _domains,
    "sections": _told_apart,
}
FILE: Final = "transcripts.toml"
PLACES: Final = ("~/.claude/projects", "~/.codex/sessions")
QUIET_MINUTES: Final = 5


@dataclass(frozen=True, slots=True)
class TranscriptSettings:
    """Folders or files to search, and how many minutes a transcript must have been left unchanged before it is read.

    `days` is the maximum age of what is compared with boards.
    """

    places: tuple[Path, ...]
    quiet_minutes: int = QUIET_MINUTES
    restraint: Restraint = field(default_factory=Restraint)
    routing: Routing = field(default_factory=Routing)
    days: int = DAYS


def transcript_settings(preferences: Path | None) -> TranscriptSettings:
    """Read `transcripts.toml` in the folder of preferences; the defaults if there is none.

    Raises SettingsError naming every problem of the file.
    """
    found = load(preferences, FILE, _problems)
    places = found.get("places", PLACES)
    return TranscriptSettings(
        tuple(Path(one).expanduser() for one in places),
        found.get("quiet_minutes", QUIET_MINUTES),
        restraint_of(found.get("actions", {})),
        routing_of(found.get("routing", {})),
        found.get("routing", {}).get("days", DAYS),
    )


def _problems(found: Mapping[str, Any]) -> Iterator[str]:
    yield from misfits(found, _CHECKS)
    yield from problems_of(found.get("actions", {}))
    yield from routing_problems(found.get("routing", {}))


def _places(value: object) -> str:
    fits = isinstance(value, list) and all(isinstance(one, str) and _is_whole(one) for one in value)
    return "" if fits else "is not a list of absolute paths or paths that begin with ~/"


def _is_whole(path: str) -> bool:
    return path.startswith("~/") or Path(path).is_absolute()


_CHECKS: Final[Mapping[str, Check]] = {
    "places": _places,
    "quiet_minutes": whole(0, 24 * 60),
    "actions": _told_apart,
    "routing": _told_apart,
}
