"""Where a person wants documents and tasks: the table `[routing]` of transcripts.toml."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pactkeeper.intent.routing import CONTEXT, NEVER, SECTIONS, RoutedSection, Routing

DAYS: Final = 30
_MOST_DAYS: Final = 3650
_TEXTS: Final = ("tasks", "documents")
_LISTS: Final = ("never", "active_context")
_KEYS: Final = (*_TEXTS, *_LISTS, "days", "domains", "sections")
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
        if key not in _KEYS:
            yield f"the key routing.{key} is not known; known are {', '.join(_KEYS)}"
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
