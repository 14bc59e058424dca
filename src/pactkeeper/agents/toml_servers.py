"""Our table in a TOML file of MCP servers, as a block of lines at its end."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from typing import Any, Final

from pactkeeper.agents.table import NAME, Agent
from pactkeeper.errors import InputError, RefusedError
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.toml_document import read_toml

_LINE: Final = re.compile(r"\(at line (\d+)")


def with_table(agent: Agent, content: bytes | None) -> bytes:
    """The file with our table; one that has a table of that name stays as it is.

    Raises InputError where it is no TOML, RefusedError where a table cannot be added at its end.
    """
    text = _decoded(agent.path, content or b"")
    known = _parsed(agent.path, text)
    servers = _servers(agent, known)
    if NAME in servers:
        return content or b""
    newline = "\r\n" if "\r\n" in text else "\n"
    block = _block(agent).replace("\n", newline)
    if not text:
        return block.encode()
    ended = text.endswith(newline)
    made = text + newline + block if ended else text + newline * 2 + block.removesuffix(newline)
    try:
        fits = read_toml(made) == {**known, agent.container: {**servers, NAME: agent.entry}}
    except tomllib.TOMLDecodeError:
        fits = False
    if not fits:
        raise RefusedError(f"{agent.path}: no table can be added at its end; put this in yourself:\n{_block(agent)}")
    return made.encode()


def without_table(agent: Agent, content: bytes) -> bytes | None:
    """The file without our table, None where nothing is left; one that somebody changed stays.

    Raises InputError where it is no TOML, RefusedError where the table is not in the lines that were written.
    """
    if table_entry(agent, content) != agent.entry:
        return content
    text = _decoded(agent.path, content)
    newline = "\r\n" if "\r\n" in text else "\n"
    block = _block(agent).replace("\n", newline).removesuffix(newline)
    before, found, after = text.partition(block)
    if not found:
        raise RefusedError(f"{agent.path}: the table is not as it was written; take {NAME!r} out yourself")
    if not after:
        left = before.removesuffix(newline).removesuffix(newline)
    else:
        left = before.removesuffix(newline) + after.removeprefix(newline)
    return left.encode() or None


def table_entry(agent: Agent, content: bytes) -> object:
    """What stands there under our name; None for nothing. Raises InputError where it is no TOML."""
    return _servers(agent, _parsed(agent.path, _decoded(agent.path, content))).get(NAME)


def _block(agent: Agent) -> str:
    lines = [f"{key} = {json.dumps(value)}" for key, value in _members(agent.entry)]
    return "\n".join([f"[{agent.container}.{NAME}]", *lines, ""])


def _members(entry: JsonValue) -> Iterable[tuple[str, JsonValue]]:
    return entry.items() if isinstance(entry, Mapping) else ()


def _decoded(path: str, content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(f"{path}:{line}: this is no UTF-8; nothing was written") from error


def _parsed(path: str, text: str) -> dict[str, Any]:
    try:
        return read_toml(text)
    except tomllib.TOMLDecodeError as error:
        place = _LINE.search(str(error))
        line = int(place[1]) if place else text.count("\n") + 1
        raise InputError(f"{path}:{line}: invalid TOML: {error}; mend it first") from error


def _servers(agent: Agent, document: dict[str, Any]) -> dict[str, Any]:
    servers = document.get(agent.container, {})
    if not isinstance(servers, dict):
        raise InputError(f"{agent.path}: {agent.container!r} is {servers!r}, which is no table of servers")
    return servers
