"""A person's settings for transcripts: where agents keep them, how long one must be quiet, what actions may do.

Where a person wants documents and tasks: the table `[routing]` of transcripts.toml.

Reading a file of settings, and what is said of one that is no TOML: the line once, and that the syntax is wrong.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pactkeeper.errors import Problem, SettingsError
from pactkeeper.intent.routing import CONTEXT, NEVER, SECTIONS, RoutedSection, Routing
from pactkeeper.ledger.toml_document import read_toml
from pactkeeper.settings.actions import Restraint, problems_of, restraint_of

DAYS: Final = 30
_MOST_DAYS: Final = 3650
_TEXTS: Final = ("tasks", "documents")
_LISTS: Final = ("never", "active_context")
_ROUTING_KEYS: Final = (*_TEXTS, *_LISTS, "days", "domains", "sections")
_SECTION_KEYS: Final = ("name", "words", "prefix")


def routing_of(found: Mapping[str, Any]) -> Routing:
    """Read the table, of which `routing_problems` found none."""
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
    """Everything that is wrong with the table."""
    if not isinstance(found, dict):
        yield f"routing = {found!r} is no table; write [routing]"
        return
    for key in found:
        if key not in _ROUTING_KEYS:
            yield f"the key routing.{key} is not known; known are {', '.join(_ROUTING_KEYS)}"
    for key in _TEXTS:
        if not _is_text(found.get(key, "x")):
            yield f"routing.{key} = {found[key]!r} is no name of a board"
    for key in _LISTS:
        if not _are_texts(found.get(key, [])):
            yield f"routing.{key} = {found[key]!r} is no list of texts"
    days = found.get("days", DAYS)
    if not isinstance(days, int) or isinstance(days, bool) or not 1 <= days <= _MOST_DAYS:
        yield f"routing.days = {days!r} is no whole number from 1 to {_MOST_DAYS:,}"
    domains = found.get("domains", {})
    if not isinstance(domains, dict) or not all(map(_is_text, domains.values())):
        yield f"routing.domains = {domains!r} is no table of boards by the name of a folder"
    yield from _section_problems(found.get("sections", []))


def _section_problems(found: object) -> Iterator[str]:
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        yield f"routing.sections = {found!r} is no list of tables; write [[routing.sections]]"
        return
    for number, one in enumerate(found, start=1):
        place = f"routing.sections {number}"
        yield from (f"{place}: the key {key!r} is not known" for key in one if key not in _SECTION_KEYS)
        if not _is_text(one.get("name")) or str(one.get("name")).casefold() in {name.casefold() for name in NEVER}:
            yield f"{place}: name = {one.get('name')!r} is no section that documents may go to"
        if not _are_texts(one.get("words", [])):
            yield f"{place}: words = {one['words']!r} is no list of texts"
        if not isinstance(one.get("prefix", ""), str):
            yield f"{place}: prefix = {one['prefix']!r} is no text"
    names = [str(one.get("name")) for one in found]
    if len(set(names)) < len(names):
        yield f"routing.sections: a section stands there twice: {', '.join(names)}"


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


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

    Raises SettingsError with every problem of the file.
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


MOST_BYTES: Final = 4 << 20
NO_TOML: Final = tomllib.TOMLDecodeError
_PLACE: Final = re.compile(r" \(at line (\d+), column (\d+)\)$")


def syntax_problem(path: str, error: Exception) -> Problem:
    """The problem of a file that raised one of `NO_TOML`; line 0 where the error names none."""
    said = str(error)
    place = _PLACE.search(said)
    if place is None:
        return Problem(path, 0, f"invalid TOML: {said}")
    return Problem(path, int(place[1]), f"invalid TOML: {said[: place.start()]} at column {place[2]}")


def text_of(path: Path | None) -> str | None:
    """The text of a file of settings, None where there is no file; raises SettingsError."""
    try:
        if path is None or not path.exists():
            return None
        if not path.is_file() or path.stat().st_size > MOST_BYTES:
            raise SettingsError(f"{path} cannot be read: settings are a regular file of at most {MOST_BYTES:,} bytes")
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} cannot be read: {error}") from error


def load(path: Path, problems: Callable[[Mapping[str, Any]], Iterable[str]]) -> Mapping[str, Any]:
    """The tables of a file of settings, none where there is no file; raises SettingsError with all that is wrong."""
    try:
        found = read_toml(text_of(path) or "")
    except NO_TOML as error:
        raise SettingsError(str(syntax_problem(str(path), error))) from error
    wrong = list(problems(found))
    if wrong:
        raise SettingsError(f"{path} cannot be used: {'; '.join(wrong)}")
    return found
