"""Our entry in a JSON file of MCP servers or hooks."""

from __future__ import annotations

import codecs
import json
import re
from typing import Any, Final

from pactkeeper.agents.json_members import put, take
from pactkeeper.agents.table import Agent
from pactkeeper.errors import InputError, RefusedError

_TOKEN: Final = re.compile(
    r"""(?P<text>"(?:\\.|[^"\\\n])*")|(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<comma>,(?=[ \t\r\n]*[\]}]))""", re.DOTALL
)


def with_server(agent: Agent, content: bytes | None) -> bytes:
    """The file with our entry; one that has an entry of that name stays as it is.

    Raises InputError where it is no JSON or the servers are no object, RefusedError where it holds comments.
    """
    mark, text = _decoded(agent.path, content or b"")
    if not text.strip():
        return mark + (json.dumps({agent.container: {agent.member: agent.entry}}, indent=2) + "\n").encode()
    known, strict = _parsed(agent.path, text)
    servers = _servers(agent, known)
    if agent.member in servers:
        return content or b""
    made = put(text, agent.container, agent.member, agent.entry) if strict else text
    expected = {**known, agent.container: {**servers, agent.member: agent.entry}}
    if not strict or json.loads(made) != expected:
        why = "it names a member twice" if strict else "it holds comments or trailing commas"
        raise RefusedError(f"{agent.path}: {why}, which would not survive; put this in yourself:\n{snippet(agent)}")
    return mark + made.encode()


def without_server(agent: Agent, content: bytes) -> bytes | None:
    """The file without our entry, None where nothing is left; an entry that somebody changed stays.

    Raises as `with_server` does.
    """
    mark, text = _decoded(agent.path, content)
    if not text.strip() or server_entry(agent, content) != agent.entry:
        return content
    if not _parsed(agent.path, text)[1]:
        raise RefusedError(
            f"{agent.path}: it holds comments or trailing commas, which would not survive;"
            f" take {agent.member!r} out of {agent.container!r} yourself"
        )
    left = take(text, agent.container, agent.member)
    return mark + left.encode() if left.strip() else None


def server_entry(agent: Agent, content: bytes) -> object:
    """What stands there under our name; None for nothing. Raises InputError as `with_server` does."""
    _, text = _decoded(agent.path, content)
    return _servers(agent, _parsed(agent.path, text)[0]).get(agent.member) if text.strip() else None


def snippet(agent: Agent) -> str:
    """What a person pastes where no program can write."""
    return json.dumps({agent.container: {agent.member: agent.entry}}, indent=2)


def _decoded(path: str, content: bytes) -> tuple[bytes, str]:
    mark = codecs.BOM_UTF8 if content.startswith(codecs.BOM_UTF8) else b""
    try:
        return mark, content[len(mark) :].decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(f"{path}:{line}: this is no UTF-8; nothing was written") from error


def _with_comments(path: str, text: str) -> object:
    try:
        document: object = json.loads(_TOKEN.sub(_blanked, text))
    except json.JSONDecodeError as error:
        raise InputError(f"{path}:{error.lineno}: this is no JSON: {error.msg}; mend it first") from error
    except RecursionError as error:
        raise InputError(f"{path}: this is nested too deeply to be a file of servers") from error
    return document


def _parsed(path: str, text: str) -> tuple[dict[str, Any], bool]:
    """The document, and whether it is JSON to the letter; raises InputError where it is none even without comments."""
    strict = True
    try:
        document = json.loads(text)
    except json.JSONDecodeError:
        strict = False
        document = _with_comments(path, text)
    except RecursionError as error:
        raise InputError(f"{path}: this is nested too deeply to be a file of servers") from error
    if not isinstance(document, dict):
        raise InputError(f"{path}:1: expected an object, found {type(document).__name__!r}")
    return document, strict


def _blanked(match: re.Match[str]) -> str:
    """Strings as they are; comments and final commas as blanks, so that lines keep their numbers."""
    return match[0] if match["text"] else re.sub(r"[^\n]", " ", match[0])


def _servers(agent: Agent, document: dict[str, Any]) -> dict[str, Any]:
    servers = document.get(agent.container, {})
    if not isinstance(servers, dict):
        raise InputError(f"{agent.path}: {agent.container!r} is {servers!r}, which is no object")
    return servers
