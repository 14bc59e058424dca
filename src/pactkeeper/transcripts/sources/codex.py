"""Codex CLI's rollouts: `{timestamp, type, payload}`, where `response_item` holds what was said and done.

`event_msg` repeats it for the screen. Records have no ids, so an entry's id is derived from its time and payload; a
fork that writes new times is recognised by the ids of its calls and the text of its artifacts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from pactkeeper.intent.conversation import Block, Conversation, ConversationEntry, RecordPlace, Role
from pactkeeper.ledger.canonical import digest_bytes
from pactkeeper.transcripts.sources.records import (
    Decoded,
    RawLine,
    Record,
    Source,
    UnknownRecord,
    command_of,
    first_known,
    json_object,
    json_value,
)

NAME: Final = "codex"
_KNOWN: Final = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
_ROLES: Final[Mapping[str, Role]] = {
    "user": "user",
    "assistant": "assistant",
    "developer": "system",
    "system": "system",
}
_META: Final = (
    "<environment_context>",
    "<user_instructions>",
    "<permissions instructions>",
    "<turn_aborted>",
    "<skill>",
    "<user_shell_command>",
    "# AGENTS.md instructions",
)
_EXIT: Final = re.compile(r"^(?:Exit code: |Process exited with code )(-?\d+)", re.MULTILINE)
_OUTPUT: Final = re.compile(r"^Output:\n", re.MULTILINE)


class _Envelope(msgspec.Struct):
    type: str = ""
    timestamp: str | None = None
    payload: msgspec.Raw = msgspec.Raw(b"{}")


_ENVELOPE: Final = Record(_Envelope)


def recognise(path: Path, beginning: bytes) -> bool:
    """Whether one of the first records belongs to a rollout."""
    return path.suffix == ".jsonl" and bool(first_known(beginning, _is_known))


def _is_known(line: bytes) -> bool:
    found = json_object(line)
    return str(found.get("type")) in _KNOWN and isinstance(found.get("payload"), dict)


def describe(path: Path, beginning: bytes) -> Conversation:
    """Describe a file's conversation from its `session_meta`."""
    found = json_object(first_known(beginning, _is_known))
    payload = found.get("payload")
    meta: Mapping[str, Any] = payload if isinstance(payload, dict) else {}
    git = meta.get("git")
    origin = meta.get("source")
    return Conversation(
        source=NAME,
        file=str(path),
        session=_text(meta, "id") or _text(meta, "session_id") or path.stem,
        kind="subagent" if isinstance(origin, dict) and "subagent" in origin else "main",
        cwd=_text(meta, "cwd"),
        branch=_text(git, "branch") if isinstance(git, dict) else "",
        started_at=_text(found, "timestamp"),
    )


def _text(found: Mapping[str, Any], key: str) -> str:
    value = found.get(key)
    return value if isinstance(value, str) else ""


def decode(line: RawLine, conversation: Conversation) -> Decoded:
    """Decode a record into an entry; None for one that repeats others or holds settings."""
    head = _ENVELOPE.read(line.data)
    if isinstance(head, str):
        return head
    if head.type not in {"response_item", "compacted"}:
        return None if head.type in _KNOWN else UnknownRecord(head.type)
    payload = json_object(head.payload)
    item = _text(payload, "type")
    if head.type == "response_item" and item not in _ITEMS:
        return UnknownRecord(f"{head.type}/{item}")
    read = _summary(payload) if head.type == "compacted" else _ITEMS[item](payload)
    if read is None:
        return None
    role, block = read
    return ConversationEntry(
        uuid="cx-" + digest_bytes((head.timestamp or "").encode() + bytes(head.payload))[3:35],
        parent="",
        role=role,
        at=head.timestamp or "",
        blocks=(block,),
        place=RecordPlace(conversation.file, line.start, line.end),
        cwd=conversation.cwd,
        branch=conversation.branch,
        sidechain=conversation.kind == "subagent",
    )


def _summary(payload: Mapping[str, Any]) -> tuple[Role, Block]:
    return "summary", Block("text", _text(payload, "message"))


def _message(payload: Mapping[str, Any]) -> tuple[Role, Block] | None:
    role: Role | None = _ROLES.get(_text(payload, "role"))
    text = _joined(payload.get("content"))
    if role == "user" and text.lstrip().startswith(_META):
        role = "meta"
    return None if role is None else (role, Block("text", text))


def _reasoning(payload: Mapping[str, Any]) -> tuple[Role, Block]:
    return "assistant", Block("thinking", _joined(payload.get("summary")))


def _call(payload: Mapping[str, Any]) -> tuple[Role, Block]:
    written = _text(payload, "arguments") or _text(payload, "input") or _compact(payload.get("action", {}))
    command = command_of(json_object(written))
    tool = _text(payload, "name") or "local_shell"
    block = Block("call", written if command is None else command, _text(payload, "call_id"), tool, written)
    return "assistant", block


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _result(payload: Mapping[str, Any]) -> tuple[Role, Block]:
    given = payload.get("output")
    text, failed = _joined(given), None
    if isinstance(given, dict):
        text = _joined(given.get("content"))
        failed = given.get("success") is False
    if text.startswith("{"):
        text, failed = _unwrapped(text, failed)
    elif exit_code := _EXIT.search(text[:500]):
        failed = exit_code[1] != "0"
        shown = _OUTPUT.search(text)
        text = text[shown.end() :] if shown else text
    return "tool", Block("result", text, _text(payload, "call_id"), failed=failed)


def _unwrapped(text: str, failed: bool | None) -> tuple[str, bool | None]:
    """The output and failure of a command, unwrapped from the JSON that older versions put around it."""
    found = json_value(text)
    if not (isinstance(found, dict) and isinstance(found.get("output"), str)):
        return text, failed
    data = found.get("metadata")
    code = data.get("exit_code") if isinstance(data, dict) else None
    return found["output"], failed if code is None else code != 0


def _joined(content: object) -> str:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    return "\n".join(part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str))


_ITEMS: Final[Mapping[str, Callable[[Mapping[str, Any]], tuple[Role, Block] | None]]] = {
    "message": _message,
    "reasoning": _reasoning,
    "function_call": _call,
    "custom_tool_call": _call,
    "local_shell_call": _call,
    "function_call_output": _result,
    "custom_tool_call_output": _result,
    "local_shell_call_output": _result,
}

SOURCE: Final = Source(NAME, (".jsonl",), recognise, describe, decode)
