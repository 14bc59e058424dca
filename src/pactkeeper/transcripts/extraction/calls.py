"""Misused tools and their corrections, and changes made to boards and documents over MCP, known by the tool's name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from pactkeeper.intent.conversation import Artifact, Block, Signals, ToolCall, excerpt, identity_of
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.transcripts.extraction import Window, Words, simple_commands
from pactkeeper.transcripts.extraction.events import EXPLICIT, SAID
from pactkeeper.transcripts.extraction.products import REFUSED
from pactkeeper.transcripts.sources.records import json_object

# How programs and agents' tools report that they were called wrongly.
_MISUSE: Final = re.compile(
    r"^.*(?:"
    r"(?i:unrecogni[sz]ed (?:argument|option|subcommand)|unknown (?:option|flag|argument|command|subcommand|switch)"
    r"|unexpected (?:argument|option|keyword)|invalid (?:option|argument|value|choice)|illegal option"
    r"|no such (?:option|command)|(?:is|was) not (?:a|an|recognized as) [\w .'-]{0,60}(?:command|option|argument)"
    r"|missing (?:required|argument|operand|parameter)|expected (?:one|at least one) argument"
    r"|required (?:argument|option|parameter|property)|the following arguments are required|takes \d+ positional"
    r"|must be (?:provided|specified|one of)|command not found|too (?:many|few) arguments)"
    r"|InputValidationError|has not been read yet|String to replace not found|String not found in file|MCP error -32602"
    r").*$",
    re.MULTILINE,
)
_USAGE: Final = re.compile(r"^(?:usage|Usage|USAGE): .*$", re.MULTILINE)
WITHIN: Final = 8  # calls after the failed one
_LINE: Final = 200
_ERRORS: Final = 4000  # characters of a result that are searched for the complaint
NAMED, MENTIONED = 90, 70
_SURE: Final = 90


def error_patterns(window: Window) -> Iterator[Artifact]:
    """Each misuse of a tool, with the first later call of the same tool and verb that differs and succeeded."""
    for position, wrong in enumerate(window.calls):
        complaint = _complaint(wrong)
        if complaint is not None:
            later = window.calls[position + 1 : position + 1 + WITHIN]
            right = next((one for one in later if _corrects(one, wrong)), None)
            if right is not None:
                yield _pattern(wrong, right, complaint)


def _complaint(call: ToolCall) -> re.Match[str] | None:
    """The line of a result that says the call itself was wrong."""
    result = call.result
    if result is None or result.failed is False or result.text.startswith(REFUSED):
        return None
    said = result.text[:_ERRORS]
    return _MISUSE.search(said) or (_USAGE.search(said) if result.failed else None)


def _corrects(call: ToolCall, wrong: ToolCall) -> bool:
    result = call.result
    if result is None or result.failed or call.call.tool != wrong.call.tool or call.call.text == wrong.call.text:
        return False
    if _complaint(call) is not None:
        return False
    return _verb(call.call) == _verb(wrong.call)


def _verb(block: Block) -> Words:
    """The program that a shell call is about, without side commands such as `cd`; empty for any other tool."""
    if block.text == block.arguments:
        return ()
    commands = [words for words in simple_commands(block.text) if words[0] not in _SIDE]
    return commands[0][:1] if commands else ()


_SIDE: Final = frozenset(
    {"cd", "echo", "export", "set", "source", "mkdir", "true", "pwd", "head", "tail", "grep", "cat"}
)


def _pattern(wrong: ToolCall, right: ToolCall, complaint: re.Match[str]) -> Artifact:
    assert wrong.result_entry is not None  # noqa: S101 - a complaint is a result
    assert right.result_entry is not None  # noqa: S101 - only a call with a result corrects anything
    worked = right.result_entry.blocks[right.result_block].text.partition("\n")[0]
    tool = " ".join(_verb(wrong.call)) or wrong.call.tool
    said = complaint[0].strip()
    return Artifact(
        "error_pattern",
        f"{tool}: {said[:120]}",
        (
            excerpt(wrong.entry, wrong.block, 0, min(len(wrong.call.text), _SHOWN)),
            excerpt(wrong.result_entry, wrong.result_block, complaint.start(), complaint.end()),
            excerpt(right.entry, right.block, 0, min(len(right.call.text), _SHOWN)),
            excerpt(right.result_entry, right.result_block, 0, min(len(worked), _LINE)),
        ),
        Signals(NAMED if _MISUSE.search(said) else MENTIONED, _SURE),
        "medium",
        identity_of(f"{wrong.call.tool}\n{wrong.call.text}\n{right.call.text}"),
        facts={
            "tool": tool,
            "wrong_usage": wrong.call.text[:_SHOWN],
            "error": said[:500],
            "correct_usage": right.call.text[:_SHOWN],
        },
    )


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
    """Every change to a board or a document that a tool reports as made or failed."""
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
    assert call.result_entry is not None  # noqa: S101 - the caller has checked it
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


_SHOWN: Final = 2000  # characters of a result that suffice as evidence


def _first(given: Mapping[str, object], keys: tuple[str, ...]) -> str:
    found = next((given[key] for key in keys if isinstance(given.get(key), str | int)), "")
    return str(found)[:300]
