"""What has to change in each agent's file to add or remove what it says about the pact.

In a Markdown file that is a section between two markers; every byte outside them is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from pactkeeper.agents.json_servers import server_entry, with_server, without_server
from pactkeeper.agents.table import (
    BEGIN,
    END,
    IMPORT,
    OWN,
    POINTER,
    SECTION,
    SKILL,
    Agent,
    Form,
    table_entry,
    with_table,
    without_table,
)
from pactkeeper.errors import InputError, PactkeeperError, RefusedError

Standing = Literal["absent", "installed", "outdated", "own"]


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file before and after; a `standing` of `own` means that a person's content takes our place, and it stays."""

    agent: Agent
    standing: Standing
    before: bytes | None
    after: bytes | None


@dataclass(frozen=True, slots=True)
class _Way:
    put: Callable[[Agent, bytes | None], bytes]
    take: Callable[[Agent, bytes], bytes | None]
    ours: Callable[[Agent, bytes], bool | None]


def installing(agents: Sequence[Agent], files: Mapping[str, bytes | None]) -> tuple[FileChange, ...]:
    """The changes that install every agent's part.

    Raises once with the problems of all files, as InputError if any of them is one, else RefusedError.
    """
    return _all(agents, lambda agent: _install(agent, files[agent.path]))


def removing(agents: Sequence[Agent], files: Mapping[str, bytes | None]) -> tuple[FileChange, ...]:
    """The changes that remove every agent's part; raises the same errors as `installing`."""
    return _all(agents, lambda agent: _remove(agent, files[agent.path]))


def standing(agent: Agent, content: bytes | None) -> Standing:
    """The state of an agent's file; raises InputError if it can't be read as its format."""
    ours = None if content is None else _WAYS[agent.form].ours(agent, content)
    if ours is None:
        return "absent"
    if not ours:
        return "own"
    return "installed" if _WAYS[agent.form].put(agent, content) == content else "outdated"


def _install(agent: Agent, content: bytes | None) -> FileChange:
    now = standing(agent, content)
    after = _WAYS[agent.form].put(agent, content) if now in {"absent", "outdated"} else content
    return FileChange(agent, now, content, after)


def _remove(agent: Agent, content: bytes | None) -> FileChange:
    now = standing(agent, content)
    gone = now in {"installed", "outdated"} and content is not None
    return FileChange(agent, now, content, _WAYS[agent.form].take(agent, content) if gone and content else content)


def _all(agents: Sequence[Agent], each: Callable[[Agent], FileChange]) -> tuple[FileChange, ...]:
    found: list[FileChange] = []
    problems: list[PactkeeperError] = []
    for agent in agents:
        try:
            found.append(each(agent))
        except (InputError, RefusedError) as error:
            problems.append(error)
    if problems:
        kind = InputError if any(isinstance(one, InputError) for one in problems) else RefusedError
        text = "\n".join(str(one) for one in problems)
        raise kind(f"nothing was written; --agent NAME skips the file that is in the way\n{text}")
    return tuple(found)


def _put_skill(_: Agent, content: bytes | None) -> bytes:
    return content if content is not None and content.replace(b"\r\n", b"\n") == SKILL.encode() else SKILL.encode()


def _put_pointer(agent: Agent, content: bytes | None) -> bytes:
    """Add the section, unless the file already imports AGENTS.md on a line of its own."""
    done = content is not None and IMPORT.encode() in content and BEGIN.encode() not in content
    return content if done and content is not None else with_section(agent.path, content, POINTER)


_WAYS: Final[Mapping[Form, _Way]] = {
    "section": _Way(
        lambda agent, content: with_section(agent.path, content),
        lambda agent, content: without_section(agent.path, content),
        lambda _, content: True if BEGIN.encode() in content else None,
    ),
    "pointer": _Way(
        _put_pointer,
        lambda agent, content: without_section(agent.path, content),
        lambda _, content: True if BEGIN.encode() in content or IMPORT.encode() in content else None,
    ),
    "skill": _Way(_put_skill, lambda _, __: None, lambda _, content: OWN.encode() in content),
    "json": _Way(with_server, without_server, lambda agent, content: _is_ours(agent, server_entry(agent, content))),
    "toml": _Way(with_table, without_table, lambda agent, content: _is_ours(agent, table_entry(agent, content))),
}


def _is_ours(agent: Agent, entry: object) -> bool | None:
    return None if entry is None else entry == agent.entry


def with_section(path: str, content: bytes | None, text: str = SECTION) -> bytes:
    """The file with the section, at the end or replacing the old one; raises InputError if the markers are damaged.

    A file without a final newline keeps lacking one, so that removing the section restores the original bytes.
    """
    if content is None:
        return text.encode()
    newline = _newline(path, content)
    section = text.encode().replace(b"\n", newline)
    span = _span(path, content)
    if span is not None:
        return content[: span[0]] + section.removesuffix(newline) + content[span[1] :]
    if not content:
        return section
    if content.endswith(newline):
        return content + newline + section
    return content + newline + newline + section.removesuffix(newline)


def without_section(path: str, content: bytes) -> bytes | None:
    """The file without the section, or None if nothing is left. Raises InputError if the markers are damaged."""
    newline = _newline(path, content)
    span = _span(path, content)
    if span is None:
        return content
    before, after = content[: span[0]], content[span[1] :]
    if not after:
        before = before.removesuffix(newline).removesuffix(newline)
    else:
        after = after.removeprefix(newline)
        before = before.removesuffix(newline) if before.endswith(newline * 2) else before
    return before + after or None


def _span(path: str, content: bytes) -> tuple[int, int] | None:
    """The span from the start of the first marker to the end of the last; None if there is no section."""
    begin, end = BEGIN.encode(), END.encode()
    first, last = content.find(begin), content.find(end)
    if first < 0 and last < 0:
        return None
    if content.count(begin) != 1 or content.count(end) != 1 or last < first:
        line = content.count(b"\n", 0, max(first, last) if min(first, last) < 0 else min(first, last)) + 1
        raise InputError(
            f"{path}:{line}: the markers of the section are damaged; it needs {BEGIN!r} once and below it {END!r} once"
        )
    return first, last + len(end)


def _newline(path: str, content: bytes) -> bytes:
    if b"\0" in content:
        raise InputError(f"{path}: this is not UTF-8 text; nothing can be added to it")
    return b"\r\n" if b"\r\n" in content else b"\n"
