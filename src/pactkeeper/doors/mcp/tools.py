"""The tools that agents are offered: verbs with a title; their whole list stays below 6,000 tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from mcp.types import Tool, ToolAnnotations

from pactkeeper.ledger.shape import Text
from pactkeeper.verbs.folding import fold
from pactkeeper.verbs.table import tools_by_category
from pactkeeper.verbs.verb import TOOL_CATEGORIES, Category, Verb, needs

READ_MORE: Final = Verb(
    fold,
    None,
    "What was cut from an answer: `rows` that follow, or pieces of a text.",
    called="read_more",
    title="Read on",
    takes=needs(cursor=Text(1, 40)),
    means={"cursor": "from `more`, or of the page before"},
    gives={"at": "string", "rows": "array"},
    pages="rows",
    per_page=200,
)
TOOLS: Final = (*tools_by_category(*TOOL_CATEGORIES), READ_MORE)


def offered(categories: Sequence[Category]) -> Mapping[str, Verb]:
    """The tools of some categories by name, all of them where none is named; reading on is always one."""
    return {one.name: one for one in (*tools_by_category(*(categories or TOOL_CATEGORIES)), READ_MORE)}


def wire_tool(verb: Verb) -> Tool:
    """A tool as clients see it; what it does to the repository follows from its verb."""
    return Tool(
        name=verb.name,
        title=verb.title,
        description=verb.does,
        input_schema=verb.input_schema,
        annotations=_annotations(verb),
    )


def _annotations(verb: Verb) -> ToolAnnotations:
    """Hints; what is left out is as the protocol takes it to be: a tool writes, destroys and reaches further."""
    return ToolAnnotations(
        read_only_hint=verb.reads or None,
        destructive_hint=None if verb.reads or verb.destructive else False,
        idempotent_hint=verb.idempotent or None,
        open_world_hint=None if verb.runs_code else False,
    )
