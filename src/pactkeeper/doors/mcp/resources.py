"""What can be read by address: atoms, molecules, runs and patches, one row each.

The tools that agents are offered: verbs with a title; their whole list stays below 6,000 tokens.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from mcp.shared.exceptions import MCPError
from mcp.types import (
    INVALID_PARAMS,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
    Tool,
    ToolAnnotations,
)

from pactkeeper.ledger.patch_text import whole_text
from pactkeeper.ledger.shape import Text
from pactkeeper.operators.atoms import get_atom, list_atoms
from pactkeeper.operators.decide import load_pending
from pactkeeper.operators.molecules import get_molecule, list_molecules
from pactkeeper.operators.runs import list_runs, run_standing
from pactkeeper.verbs.atoms import every_atom
from pactkeeper.verbs.calling import Caller, Failed, House, capped, carry_out
from pactkeeper.verbs.pages import fold
from pactkeeper.verbs.table import row_of, tools_by_category
from pactkeeper.verbs.verb import TOOL_CATEGORIES, Call, Category, Document, Verb, needs

MIME: Final = "application/json"
ADDRESS: Final = re.compile(r"pact://([a-z]+)/([0-9A-Za-z-]{1,80})")
PER_PAGE: Final = 100


def _list(asked: Call) -> Document:
    return {"resources": list(_listed(asked))}


def _listed(asked: Call) -> Iterator[Mapping[str, str]]:
    """Everything with an address; a repository without a pact has runs at most."""
    opened = asked.workspace
    if opened.snapshot().declares:
        for row in list_atoms(opened, every_atom()).rows:
            yield {"uri": f"pact://atoms/{row.atom.id}", "name": row.atom.id, "title": row.atom.intent}
        for one in list_molecules(opened, "path").stored:
            yield {"uri": f"pact://molecules/{one.id}", "name": one.id, "title": one.name}
    for listed in list_runs(opened):
        run = listed.run
        yield {"uri": f"pact://runs/{run.id}", "name": run.id, "title": f"{run.mode} of {run.created_at}, {run.status}"}
        if run.patch is not None:
            yield {"uri": f"pact://patches/{run.patch}", "name": run.patch, "title": f"the patch of {run.id}"}


LISTING: Final = Verb(
    list_atoms, None, "List what has an address.", called="resources", answer=_list, pages="resources"
)
# By the kind that an address names: its title, the argument that its id is, and the verb that reads it.
KINDS: Final[Mapping[str, tuple[str, str, Verb]]] = {
    "atoms": ("Atom", "atom", row_of(get_atom)),
    "molecules": ("Molecule", "molecule", row_of(get_molecule)),
    "runs": ("Run", "run", row_of(run_standing)),
    "patches": ("Patch", "patch", row_of(load_pending)),
}


async def list_templates(_ctx: object, _params: object) -> ListResourceTemplatesResult:
    """The forms of addresses."""
    rows = [
        ResourceTemplate(uri_template=f"pact://{kind}/{{id}}", name=kind, title=title, mime_type=MIME)
        for kind, (title, _, _) in KINDS.items()
    ]
    return ListResourceTemplatesResult(resource_templates=rows)


async def list_resources(house: House, caller: Caller, cursor: str | None) -> ListResourcesResult:
    """One page of everything that has an address."""
    given: dict[str, Any] = {"limit": PER_PAGE, **({} if cursor is None else {"cursor": cursor})}
    found = await _carried_out(house, LISTING, given, caller)
    rows = [Resource(mime_type=MIME, **row) for row in found["resources"]]
    return ListResourcesResult(resources=rows, next_cursor=found.get("cursor"))


async def read_resource(house: House, caller: Caller, uri: str) -> ReadResourceResult:
    """What stands at an address, as JSON."""
    known = ADDRESS.fullmatch(uri)
    if known is None or known[1] not in KINDS:
        raise MCPError(INVALID_PARAMS, f"{uri!r} is no address here; resources/templates/list names their forms")
    _, argument, verb = KINDS[known[1]]
    found = await _carried_out(house, verb, {argument: known[2]}, caller)
    text = wire_text(capped(house, found, READ_MORE))
    return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type=MIME, text=text)])


def wire_text(document: Mapping[str, object]) -> str:
    """The document as JSON; half a character, which would end the connection unsent, is U+FFFD."""
    return whole_text(json.dumps(document, ensure_ascii=False, separators=(",", ":")))


async def _carried_out(house: House, verb: Verb, given: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
    try:
        return dict(await carry_out(house, verb, given, caller))  # type: ignore[arg-type]  # reading asks nobody
    except Failed as error:
        raise MCPError(INVALID_PARAMS, str(error)) from error


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
