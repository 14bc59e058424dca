"""The generic format: one JSON object per line with `role` and `content`, for agents without a module of their own.

    {"role": "user", "content": "Ship it.", "at": "2026-03-01T10:00:00Z", "id": "m1"}
    {"role": "assistant", "call": {"id": "c1", "tool": "shell", "arguments": {"command": "git push"}}}
    {"role": "tool", "result": {"id": "c1", "content": "done", "failed": false}}

`id`, `parent`, `at`, `session`, `cwd` and `branch` are optional. Other keys are ignored.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec

from pactkeeper.intent.conversation import ROLES, Block, Conversation, ConversationEntry, RecordPlace
from pactkeeper.ledger.canonical import digest_bytes
from pactkeeper.transcripts.sources.records import (
    Decoded,
    RawLine,
    Record,
    Source,
    command_of,
    first_known,
    json_object,
    raw_text,
)

NAME: Final = "generic"


class _Call(msgspec.Struct):
    tool: str
    id: str = ""
    arguments: msgspec.Raw = msgspec.Raw(b"{}")


class _Result(msgspec.Struct):
    id: str
    content: str = ""
    failed: bool | None = None


class _Record(msgspec.Struct):
    role: str
    content: str = ""
    id: str = ""
    parent: str = ""
    at: str = ""
    session: str = ""
    cwd: str = ""
    branch: str = ""
    call: _Call | None = None
    result: _Result | None = None


_RECORD: Final = Record(_Record)


def recognise(path: Path, beginning: bytes) -> bool:
    """Whether one of the first records has a known role."""
    return path.suffix == ".jsonl" and bool(first_known(beginning, _is_known))


def _is_known(line: bytes) -> bool:
    found = _RECORD.read(line)
    return not isinstance(found, str) and found.role in ROLES


def describe(path: Path, beginning: bytes) -> Conversation:
    """Describe a file's conversation from its first known record."""
    found = _RECORD.read(first_known(beginning, _is_known))
    head = _Record("user") if isinstance(found, str) else found
    return Conversation(NAME, str(path), head.session or path.stem, "main", head.cwd, head.branch, head.at)


def decode(line: RawLine, conversation: Conversation) -> Decoded:
    """Decode a record into an entry; a missing `id` is derived from the conversation, the offset and the bytes."""
    found = _RECORD.read(line.data)
    if isinstance(found, str):
        return found
    role = next((role for role in ROLES if role == found.role), None)
    if role is None:
        return f"the role {found.role!r} is not known; known are {', '.join(ROLES)}"
    made = "ge-" + digest_bytes(f"{conversation.session}\n{line.start}\n".encode() + line.data)[3:35]
    return ConversationEntry(
        uuid=f"{conversation.session}/{found.id}" if found.id else made,
        parent=found.parent,
        role=role,
        at=found.at,
        blocks=tuple(_blocks(found)),
        place=RecordPlace(conversation.file, line.start, line.end),
        cwd=found.cwd or conversation.cwd,
        branch=found.branch or conversation.branch,
    )


def _blocks(found: _Record) -> list[Block]:
    blocks = [Block("text", found.content)] if found.content else []
    if found.call is not None:
        written = raw_text(found.call.arguments)
        command = command_of(json_object(found.call.arguments))
        text = written if command is None else command
        blocks.append(Block("call", text, found.call.id, found.call.tool, written))
    if found.result is not None:
        blocks.append(Block("result", found.result.content, found.result.id, failed=found.result.failed))
    return blocks


SOURCE: Final = Source(NAME, (".jsonl",), recognise, describe, decode)
