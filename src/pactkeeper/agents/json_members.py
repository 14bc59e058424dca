"""One member of a JSON document, put in and taken out in the text, so that every other byte stays."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from json.decoder import JSONDecoder
from typing import Final

from pactkeeper.ledger.canonical import JsonValue

_SPACE: Final = re.compile(r"[ \t\r\n]*")
_DECODER: Final = JSONDecoder()
_TWO_SPACES: Final = "  "


@dataclass(frozen=True, slots=True)
class Member:
    """One member of an object: its name, and where name and value begin and end in the text."""

    name: str
    start: int
    value: int
    end: int


def members(text: str, opening: int) -> tuple[Member, ...]:
    """The members of the object whose brace stands at `opening`, in a text that is valid JSON."""
    found: list[Member] = []
    place = _skip(text, opening + 1)
    while text[place] != "}":
        if text[place] == ",":
            place = _skip(text, place + 1)
        name, end = _DECODER.raw_decode(text, place)
        value = _skip(text, _skip(text, end) + 1)
        _, after = _DECODER.raw_decode(text, value)
        found.append(Member(str(name), place, value, after))
        place = _skip(text, after)
    return tuple(found)


def put(text: str, container: str, name: str, entry: JsonValue) -> str:
    """The document with `entry` as the last member of the container, which is made where it is missing."""
    top = _skip(text, 0)
    holder = _named(members(text, top), container)
    if holder is None:
        return _append(text, top, container, {name: entry})
    return _append(text, holder.value, name, entry)


def take(text: str, container: str, name: str) -> str:
    """The document without the member; a container left empty goes too, and a document left empty is an empty text."""
    top = _skip(text, 0)
    outer = members(text, top)
    holder = _named(outer, container)
    if holder is None:
        return text
    inner = members(text, holder.value)
    if _named(inner, name) is None:
        return text
    if len(inner) > 1:
        return _cut(text, inner, name)
    return _cut(text, outer, container) if len(outer) > 1 else ""


def _cut(text: str, among: tuple[Member, ...], name: str) -> str:
    index = next(place for place, one in enumerate(among) if one.name == name)
    if index:
        return text[: among[index - 1].end] + text[among[index].end :]
    return text[: among[0].start] + text[among[1].start :]


def _append(text: str, opening: int, name: str, value: JsonValue) -> str:
    """Put a member last into the object at `opening`, in the manner of the members that are there."""
    known = members(text, opening)
    newline = "\r\n" if "\r\n" in text else "\n"
    if not known:
        closing = text.index("}", opening)
        own = _indent_of_line(text, opening)
        deeper = own + _unit(text)
        written = _written(name, value, deeper, _unit(text), newline)
        return f"{text[: opening + 1]}{newline}{deeper}{written}{newline}{own}{text[closing:]}"
    gap = text[opening + 1 : known[0].start]
    if "\n" not in gap:
        return f"{text[: known[-1].end]}, {_flat(name, value)}{text[known[-1].end :]}"
    indent = gap[gap.rindex("\n") + 1 :]
    written = _written(name, value, indent, _unit(text), newline)
    return f"{text[: known[-1].end]},{newline}{indent}{written}{text[known[-1].end :]}"


def _written(name: str, value: JsonValue, indent: str, unit: str, newline: str) -> str:  # noqa: PLR0917 - all of a layout
    lines = json.dumps({name: value}, indent=unit, ensure_ascii=False).split("\n")[1:-1]
    return newline.join([lines[0].removeprefix(unit), *(indent + line.removeprefix(unit) for line in lines[1:])])


def _flat(name: str, value: JsonValue) -> str:
    return json.dumps({name: value}, ensure_ascii=False)[1:-1]


def _unit(text: str) -> str:
    """What one level is indented by, as the first member shows it."""
    top = members(text, _skip(text, 0))
    if not top:
        return _TWO_SPACES
    gap = text[: top[0].start].rpartition("\n")
    return gap[2] if gap[1] and gap[2] and not gap[2].strip() else _TWO_SPACES


def _indent_of_line(text: str, place: int) -> str:
    line = text[text.rfind("\n", 0, place) + 1 : place]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _named(among: tuple[Member, ...], name: str) -> Member | None:
    return next((one for one in among if one.name == name), None)


def _skip(text: str, place: int) -> int:
    found = _SPACE.match(text, place)
    return place if found is None else found.end()
