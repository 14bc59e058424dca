"""Whether what was found was also written down: a later call that wrote most of its lines somewhere."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Final

from pactkeeper.intent.artifact import Artifact, Persistence, content
from pactkeeper.intent.conversation import ToolCall
from pactkeeper.transcripts.extraction.window import Window
from pactkeeper.transcripts.sources.records import json_object

MOST, SOME = 90, 30  # percent of an artifact's lines
_WRITES: Final = re.compile(
    r"^(?:Write|Edit|MultiEdit|NotebookEdit|apply_patch|write_file|create_file|str_replace_editor)$"
    r"|^mcp__.*(?:create|update|append|add|write|edit|patch|insert)",
    re.IGNORECASE,
)
_KINDS: Final = frozenset({"plan", "analysis", "framework", "decision_with_context"})
_PATHS: Final = frozenset({"file_path", "path", "notebook_path"})
_MARKS: Final = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Writing:
    """A call that wrote something, with the words of each line it wrote."""

    call: ToolCall
    lines: frozenset[str]


def writings(window: Window) -> tuple[Writing, ...]:
    """Every successful call that wrote text somewhere."""
    return tuple(Writing(call, _lines(_written(call))) for call in window.calls if _wrote(call))


def with_persistence(one: Artifact, written: Iterable[Writing]) -> Artifact:
    """Say of a work product how much of it one of the calls wrote; the evidence is that call's id."""
    wanted = _lines(content(one)) if one.type in _KINDS else frozenset()
    shares = [(100 * len(wanted & writing.lines) // len(wanted), writing.call) for writing in written if wanted]
    share, call = max(shares, key=itemgetter(0), default=(0, None))
    if call is None or share < SOME:
        return one
    state: Persistence = "persisted" if share >= MOST else "partial"
    path = next((str(value) for key, value in json_object(call.call.arguments).items() if key in _PATHS), "")
    facts = {**one.facts, "path": path} if path else one.facts
    why = f"{call.call.tool} {call.call.call}: {share} % of its lines"
    return replace(one, persistence=state, evidence=why, facts=facts)


def _wrote(call: ToolCall) -> bool:
    return bool(_WRITES.search(call.call.tool)) and call.result is not None and not call.result.failed


def _written(call: ToolCall) -> str:
    """All texts among a call's arguments; a patch that is no JSON is one itself."""
    given = json_object(call.call.arguments)
    return "\n".join(_texts(given)) if given else call.call.arguments


def _texts(value: object) -> Iterable[str]:
    if isinstance(value, str):
        return (value,)
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return tuple(text for one in inner for text in _texts(one))


def _lines(text: str) -> frozenset[str]:
    """The lines by their words, so that marks of lists, emphasis and patches do not matter."""
    return frozenset(words for line in text.splitlines() if (words := _MARKS.sub(" ", line).strip().casefold()))
