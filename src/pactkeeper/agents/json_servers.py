"""Our entry in a JSON file of MCP servers or hooks.

The member is inserted and removed in the text itself, so every other byte of the file is kept.
"""

from __future__ import annotations

import codecs
import json
import re
from dataclasses import dataclass
from json.decoder import JSONDecoder
from typing import Any, Final

from pactkeeper.agents.table import Agent, decoded, servers_of
from pactkeeper.errors import InputError, RefusedError
from pactkeeper.ledger.canonical import JsonValue

_TOKEN: Final = re.compile(
    r"""(?P<text>"(?:\\.|[^"\\\n])*")|(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<comma>,(?=[ \t\r\n]*[\]}]))""", re.DOTALL
)


def with_server(agent: Agent, content: bytes | None) -> bytes:
    """The file with our entry added; a file that already has an entry of that name is returned unchanged.

    Raises InputError if it is not JSON or the container is not an object, RefusedError if it holds comments.
    """
    mark, text = _decoded(agent.path, content or b"")
    if not text.strip():
        return mark + (json.dumps({agent.container: {agent.member: agent.entry}}, indent=2) + "\n").encode()
    known, strict = _parsed(agent.path, text)
    servers = servers_of(agent, known, "an object")
    if agent.member in servers:
        return content or b""
    made = put(text, agent.container, agent.member, agent.entry) if strict else text
    expected = {**known, agent.container: {**servers, agent.member: agent.entry}}
    if not strict or json.loads(made) != expected:
        why = "it names a member twice" if strict else "it holds comments or trailing commas"
        raise RefusedError(f"{agent.path}: {why}, which would be lost; add this yourself:\n{snippet(agent)}")
    return mark + made.encode()


def without_server(agent: Agent, content: bytes) -> bytes | None:
    """The file without our entry, or None if nothing is left; an entry that somebody edited stays.

    Raises the same errors as `with_server`.
    """
    mark, text = _decoded(agent.path, content)
    if not text.strip() or server_entry(agent, content) != agent.entry:
        return content
    if not _parsed(agent.path, text)[1]:
        raise RefusedError(
            f"{agent.path}: it holds comments or trailing commas, which would be lost; remove {agent.member!r} "
            f"out of {agent.container!r} yourself"
        )
    left = take(text, agent.container, agent.member)
    return mark + left.encode() if left.strip() else None


def server_entry(agent: Agent, content: bytes) -> object:
    """The value stored under our name, or None. Raises InputError as `with_server` does."""
    _, text = _decoded(agent.path, content)
    return servers_of(agent, _parsed(agent.path, text)[0], "an object").get(agent.member) if text.strip() else None


def snippet(agent: Agent) -> str:
    """The JSON to paste by hand where Pactkeeper can't write the file itself."""
    return json.dumps({agent.container: {agent.member: agent.entry}}, indent=2)


def _decoded(path: str, content: bytes) -> tuple[bytes, str]:
    mark = codecs.BOM_UTF8 if content.startswith(codecs.BOM_UTF8) else b""
    return mark, decoded(path, content[len(mark) :])


def _loaded(path: str, text: str) -> object:
    """Parse JSON; raises JSONDecodeError, or InputError for numbers too long or nesting too deep to parse."""
    try:
        found: object = json.loads(text)
    except json.JSONDecodeError:
        raise
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: this cannot be read as a file of servers: {error}; fix it first") from error
    return found


def _parsed(path: str, text: str) -> tuple[dict[str, Any], bool]:
    """The document, and whether it is strict JSON; raises InputError if it does not parse even without comments."""
    strict = True
    try:
        document = _loaded(path, text)
    except json.JSONDecodeError:
        strict = False
        try:
            document = _loaded(path, _TOKEN.sub(_blanked, text))
        except json.JSONDecodeError as error:
            raise InputError(f"{path}:{error.lineno}: this is not JSON: {error.msg}; fix it first") from error
    if not isinstance(document, dict):
        raise InputError(f"{path}:1: expected an object, found {type(document).__name__!r}")
    return document, strict


def _blanked(match: re.Match[str]) -> str:
    """Keep strings; replace comments and trailing commas with blanks, so that line numbers stay the same."""
    return match[0] if match["text"] else re.sub(r"[^\n]", " ", match[0])


_SPACE: Final = re.compile(r"[ \t\r\n]*")
_DECODER: Final = JSONDecoder()
_TWO_SPACES: Final = "  "


@dataclass(frozen=True, slots=True)
class JsonMember:
    """One member of an object: its name, and the offsets of its start, its value and its end."""

    name: str
    start: int
    value: int
    end: int


def members(text: str, opening: int) -> tuple[JsonMember, ...]:
    """The members of the object whose opening brace is at `opening`, in text that is valid JSON."""
    found: list[JsonMember] = []
    place = _skip(text, opening + 1)
    while text[place] != "}":
        if text[place] == ",":
            place = _skip(text, place + 1)
        name, end = _DECODER.raw_decode(text, place)
        value = _skip(text, _skip(text, end) + 1)
        _, after = _DECODER.raw_decode(text, value)
        found.append(JsonMember(str(name), place, value, after))
        place = _skip(text, after)
    return tuple(found)


def put(text: str, container: str, name: str, entry: JsonValue) -> str:
    """The document with `entry` as the last member of the container, which is created if missing."""
    top = _skip(text, 0)
    holder = _named(members(text, top), container)
    if holder is None:
        return _append(text, top, container, {name: entry})
    return _append(text, holder.value, name, entry)


def take(text: str, container: str, name: str) -> str:
    """The document without the member; an emptied container goes too, an emptied document becomes an empty string."""
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


def _cut(text: str, among: tuple[JsonMember, ...], name: str) -> str:
    index = next(place for place, one in enumerate(among) if one.name == name)
    if index:
        return text[: among[index - 1].end] + text[among[index].end :]
    return text[: among[0].start] + text[among[1].start :]


def _append(text: str, opening: int, name: str, value: JsonValue) -> str:
    """Append a member to the object at `opening`, formatted like the members already there."""
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


def _written(name: str, value: JsonValue, indent: str, unit: str, newline: str) -> str:  # noqa: PLR0917 - a layout
    lines = json.dumps({name: value}, indent=unit, ensure_ascii=False).split("\n")[1:-1]
    return newline.join([lines[0].removeprefix(unit), *(indent + line.removeprefix(unit) for line in lines[1:])])


def _flat(name: str, value: JsonValue) -> str:
    return json.dumps({name: value}, ensure_ascii=False)[1:-1]


def _unit(text: str) -> str:
    """The indentation of one level, taken from the first member."""
    top = members(text, _skip(text, 0))
    if not top:
        return _TWO_SPACES
    gap = text[: top[0].start].rpartition("\n")
    return gap[2] if gap[1] and gap[2] and not gap[2].strip() else _TWO_SPACES


def _indent_of_line(text: str, place: int) -> str:
    line = text[text.rfind("\n", 0, place) + 1 : place]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _named(among: tuple[JsonMember, ...], name: str) -> JsonMember | None:
    return next((one for one in among if one.name == name), None)


def _skip(text: str, place: int) -> int:
    found = _SPACE.match(text, place)
    return place if found is None else found.end()
