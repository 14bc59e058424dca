"""The tools that agents are offered: verbs with a title; their whole list stays below 6,000 tokens."""

from __future__ import annotations

from typing import Final

from mcp.types import Tool, ToolAnnotations

from pactkeeper.verbs.table import VERBS
from pactkeeper.verbs.verb import Verb

TOOLS: Final = tuple(one for one in VERBS if one.title)
BY_NAME: Final = {one.name: one for one in TOOLS}


def wire_tool(verb: Verb) -> Tool:
    """A tool as clients see it; what it does to the repository follows from its verb."""
    return Tool(
        name=verb.name,
        title=verb.title,
        description=verb.does,
        input_schema=verb.input_schema,
        output_schema=verb.output_schema,
        annotations=_annotations(verb),
    )


def _annotations(verb: Verb) -> ToolAnnotations:
    if verb.reads:
        return ToolAnnotations(read_only_hint=True, open_world_hint=False)
    return ToolAnnotations(
        read_only_hint=False, destructive_hint=verb.destructive, idempotent_hint=verb.idempotent, open_world_hint=False
    )
