"""Calls of boards and documents over MCP: which tool changed what, told by the words of its name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from pactkeeper.intent.conversation import Artifact, Signals, ToolCall, excerpt
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.transcripts.extraction.events import EXPLICIT, SAID
from pactkeeper.transcripts.extraction.window import Window
from pactkeeper.transcripts.sources.records import json_object

_NAME: Final = re.compile(r"mcp__(?P<server>.+?)__(?P<tool>.+)")
_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
VERBS: Final[Mapping[str, str]] = {
    "create": "create", "add": "create", "new": "create", "insert": "create", "save": "update", "update": "update",
    "edit": "update", "append": "update", "patch": "update", "write": "update", "set": "update", "move": "update",
    "assign": "update", "transition": "update", "comment": "comment", "log": "comment", "close": "complete",
    "complete": "complete", "done": "complete", "resolve": "complete", "reopen": "reopen", "archive": "archive",
    "delete": "delete", "remove": "delete",
}  # fmt: skip
_NOUNS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("page", "doc", "document", "docs", "wiki", "note", "block", "blocks", "section"), "document_call"),
    **dict.fromkeys(
        ("issue", "task", "card", "ticket", "todo", "story", "epic", "item", "issues", "tasks"), "board_call"
    ),
}
_SERVERS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("linear", "jira", "asana", "trello", "todoist", "clickup", "monday", "shortcut"), "board_call"),
    **dict.fromkeys(("confluence", "obsidian", "notion", "slite", "gdocs"), "document_call"),
}
_READS: Final = frozenset({"get", "list", "search", "read", "fetch", "query", "find", "retrieve"})
_TARGETS: Final = (
    "id", "key", "issue", "issue_id", "issueId", "issue_key", "issueKey", "issue_number", "task_id", "page_id",
    "pageId", "number",
)  # fmt: skip
_TITLES: Final = ("title", "name", "summary", "subject")
_FINISHED: Final = frozenset(
    {"done", "closed", "completed", "complete", "resolved", "shipped", "erledigt", "terminé", "hecho"}
)
_STATES: Final = ("state", "status", "stateName")


def board_calls(window: Window) -> Iterator[Artifact]:
    """Every change of a board or a document that a tool reports to have made, or to have failed with."""
    for call in window.calls:
        named = _NAME.fullmatch(call.call.tool)
        if named and call.result is not None:
            kind, verb = _meaning(named["server"], named["tool"])
            if kind and verb:
                yield _event(call, kind, verb)


def _meaning(server: str, tool: str) -> tuple[str, str]:
    words = [word.lower() for word in _WORD.findall(tool)]
    if not _READS.isdisjoint(words):
        return "", ""
    verb = "comment" if "comment" in words else next((VERBS[word] for word in words if word in VERBS), "")
    where = [word.lower() for word in _WORD.findall(server)]
    nouns = [_NOUNS[word] for word in words if word in _NOUNS] or [_SERVERS[word] for word in where if word in _SERVERS]
    return (nouns[0] if nouns else ""), verb


def _event(call: ToolCall, kind: str, verb: str) -> Artifact:
    result = call.result
    assert call.result_entry is not None  # noqa: S101 - told by the caller
    assert result is not None  # noqa: S101 - likewise
    given = json_object(call.call.arguments)
    state = _first(given, _STATES)
    finished = verb == "complete" or state.casefold() in _FINISHED
    outcome = "failed" if result.failed else "succeeded" if result.failed is False else "unknown"
    facts: dict[str, JsonValue] = {
        "kind": kind,
        "outcome": outcome,
        "tool": call.call.tool,
        "verb": "complete" if finished else verb,
        "target": _first(given, _TARGETS),
        "title": _first(given, _TITLES),
        "state": state,
    }
    about = facts["title"] or facts["target"] or call.call.tool
    return Artifact(
        "event",
        f"{kind} {outcome}: {facts['verb']} {about}",
        (
            excerpt(call.entry, call.block, 0, len(call.call.text)),
            excerpt(call.result_entry, call.result_block, 0, min(len(result.text), _SHOWN)),
        ),
        Signals(SAID, EXPLICIT),
        "very_high" if finished and outcome == "succeeded" else "medium",
        f"{call.call.call or call.entry.uuid}/{kind}",
        facts=facts,
    )


_SHOWN: Final = 2000  # characters of an answer that are evidence enough


def _first(given: Mapping[str, object], keys: tuple[str, ...]) -> str:
    found = next((given[key] for key in keys if isinstance(given.get(key), str | int)), "")
    return str(found)[:300]
