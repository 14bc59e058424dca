"""Conversations with coding agents as values: who said what, where it stands in a file, and how far it was read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from pactkeeper.ledger.canonical import digest

# `summary` is what a model wrote to replace earlier records, `meta` what a program said in somebody's name.
Role = Literal["user", "assistant", "tool", "system", "summary", "meta"]
ROLES: Final[tuple[Role, ...]] = ("user", "assistant", "tool", "system", "summary", "meta")
BlockKind = Literal["text", "thinking", "call", "result", "other"]
ConversationKind = Literal["main", "subagent"]


@dataclass(frozen=True, slots=True)
class RecordPlace:
    """The bytes of a file that hold one record, from `start` up to and without `end`."""

    file: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Block:
    """One part of an entry; `text` is what spans count characters in.

    A call's text is the command that it runs, or its arguments as JSON where there is none; a result's text is what
    came back. `call` pairs the two. `arguments` is a call's JSON; `failed` is what the record itself says of a
    result, None where it says nothing.
    """

    kind: BlockKind
    text: str
    call: str = ""
    tool: str = ""
    arguments: str = ""
    failed: bool | None = None


@dataclass(frozen=True, slots=True)
class ConversationEntry:
    """One record of a conversation; `uuid` is the same in every file that replays it.

    `at` is the source's own ISO 8601 time, empty where it has none. On a sidechain the agent talks to itself, so what
    stands there under `user` was not said by a person.
    """

    uuid: str
    parent: str
    role: Role
    at: str
    blocks: tuple[Block, ...]
    place: RecordPlace
    cwd: str = ""
    branch: str = ""
    sidechain: bool = False

    @property
    def by_person(self) -> bool:
        """Whether a person said it: neither a tool, a program, a summary nor another agent."""
        return self.role == "user" and not self.sidechain


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call and what came back, by their entries and the positions of their blocks; None where nothing came back."""

    entry: ConversationEntry
    block: int
    result_entry: ConversationEntry | None = None
    result_block: int = 0

    @property
    def call(self) -> Block:
        """What was called."""
        return self.entry.blocks[self.block]

    @property
    def result(self) -> Block | None:
        """What came back."""
        return None if self.result_entry is None else self.result_entry.blocks[self.result_block]


@dataclass(frozen=True, slots=True)
class Gap:
    """Bytes of a file that could not be read as a record, with the reason; nothing may be concluded from them."""

    start: int
    end: int
    reason: str


@dataclass(frozen=True, slots=True)
class Conversation:
    """One file of a conversation; a session may have several: its own, those of its subagents, and forks."""

    source: str
    file: str
    session: str
    kind: ConversationKind = "main"
    cwd: str = ""
    branch: str = ""
    started_at: str = ""

    @property
    def id(self) -> str:
        """The same for the same file, whatever is written to it."""
        return "cv-" + digest(["conversation", self.file])[3:15]


@dataclass(frozen=True, slots=True)
class Bookmark:
    """How far the file of a conversation was read and stored.

    `uuid` is the last record before `offset`. `inode`, `size`, `head` (digest of the first `head_length` bytes) and
    `tail` (digest of the bytes just before `offset`) tell a file that grew from one that was replaced. `context` are
    the byte ranges of earlier records that the next ones may refer to.
    """

    offset: int = 0
    uuid: str = ""
    inode: str = ""
    size: int = 0
    head: str = ""
    head_length: int = 0
    tail: str = ""
    context: tuple[tuple[int, int], ...] = ()


def pair(entries: tuple[ConversationEntry, ...]) -> tuple[ToolCall, ...]:
    """Every call with its result, in the order of the calls; a result whose call is not among the entries is left out.

    A result that is repeated counts once, as first given.
    """
    results: dict[str, tuple[ConversationEntry, int]] = {}
    for entry in entries:
        for position, block in enumerate(entry.blocks):
            if block.kind == "result" and block.call:
                results.setdefault(block.call, (entry, position))
    found: dict[str, ToolCall] = {}
    for entry in entries:
        for position, block in enumerate(entry.blocks):
            if block.kind == "call" and block.call not in found:
                key = block.call or f"{entry.uuid}:{position}"
                back = results.get(block.call)
                found[key] = ToolCall(entry, position, *back) if back else ToolCall(entry, position)
    return tuple(found.values())
