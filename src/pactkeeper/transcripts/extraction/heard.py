"""What others than the person say that may concern work: answers of tools, and the agent's words after a merge.

They are kept as remarks with `by`, only to be held against what a conversation leads to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from pactkeeper.intent.conversation import Artifact, ConversationEntry, ToolCall, identity_of
from pactkeeper.transcripts.extraction import Window, simple_commands
from pactkeeper.transcripts.extraction.events import CLOSING, INTERESTING, RULES
from pactkeeper.transcripts.extraction.products import (
    LONGEST_REMARK,
    PLAN_TOOL,
    REFUSED,
    is_acceptance,
    spoken,
    trimmed,
)

BY: Final = "by"
AGENT, TOOL = "agent", "tool"
_MCP: Final = "mcp__"
_ONLY_SIGNS: Final = re.compile(r"[\W_]*")


def heard(window: Window) -> Iterator[Artifact]:
    """Each answer that may name a task, a request or a commit, and what the agent says between a merge and a person.

    What a person changed in a plan while accepting it stands in the answer to that plan, and is their own remark.
    """
    for call in window.calls:
        if call.result_entry is None or call.result is None:
            continue
        if call.call.tool == PLAN_TOOL:
            if not call.result.text.startswith(REFUSED) and not is_acceptance(call.result.text, call.call.text):
                yield from _remark(call.result_entry, call.result_block, "")
        elif call.call.tool.startswith(_MCP) or INTERESTING.search(call.call.text):
            yield from _remark(call.result_entry, call.result_block, TOOL)
    yield from _agents(window)


def _agents(window: Window) -> Iterator[Artifact]:
    closing = {call.result_entry.uuid for call in window.calls if call.result_entry is not None and _may_close(call)}
    is_after = False
    for entry in window.entries:
        is_after = entry.uuid in closing or (is_after and not entry.by_person)
        if is_after and entry.role == "assistant":
            for position, block in enumerate(entry.blocks):
                if block.kind == "text":
                    yield from _remark(entry, position, AGENT)


def _may_close(call: ToolCall) -> bool:
    if not INTERESTING.search(call.call.text):
        return False
    commands = simple_commands(call.call.text)
    return any(rule.kind in CLOSING and rule.fits(words) for words in commands for rule in RULES)


def _remark(entry: ConversationEntry, position: int, by: str) -> Iterator[Artifact]:
    text = entry.blocks[position].text
    if _ONLY_SIGNS.fullmatch(text):
        return
    said = spoken(entry, position, *trimmed(text, 0, min(len(text), LONGEST_REMARK)))
    facts = {BY: by} if by else {}
    yield replace(said, type="remark", identity=identity_of(f"{entry.uuid} {position} heard"), facts=facts)
