"""What can be read by address: atoms, molecules, runs and patches, one row each."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
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
)

from pactkeeper.doors.cli.molecule import molecule_document
from pactkeeper.doors.mcp.calling import Caller, Failed, House, carry_out
from pactkeeper.doors.mcp.calls import atoms, review
from pactkeeper.doors.mcp.shapes import ID, PATCH
from pactkeeper.doors.mcp.tool import Call, Document, Tool, may, needs
from pactkeeper.operators import molecules
from pactkeeper.operators.atoms import list_atoms
from pactkeeper.operators.molecules import list_molecules
from pactkeeper.operators.runs import list_runs

MIME: Final = "application/json"
ADDRESS: Final = re.compile(r"pact://([a-z]+)/([0-9A-Za-z-]{1,80})")
PER_PAGE: Final = 100


def get_molecule(asked: Call) -> Document:
    """Read a stored molecule."""
    found = molecules.get_molecule(asked.workspace, asked.text("molecule"))
    return {**molecule_document(found.molecule), "all_atoms": [row.atom.id for row in found.atoms]}


def _list(asked: Call) -> Document:
    return {"resources": list(_listed(asked))}


def _listed(asked: Call) -> Iterator[Mapping[str, str]]:
    """Everything with an address; a repository without a pact has runs at most."""
    opened = asked.workspace
    if any(path.startswith("pact/") for path in opened.snapshot().paths):
        for row in list_atoms(opened, atoms.every_atom()).rows:
            yield {"uri": f"pact://atoms/{row.atom.id}", "name": row.atom.id, "title": row.atom.intent}
        for one in list_molecules(opened, "path").stored:
            yield {"uri": f"pact://molecules/{one.id}", "name": one.id, "title": one.name}
    for listed in list_runs(opened):
        run = listed.run
        yield {"uri": f"pact://runs/{run.id}", "name": run.id, "title": f"{run.mode} of {run.created_at}, {run.status}"}
        if run.patch is not None:
            yield {"uri": f"pact://patches/{run.patch}", "name": run.patch, "title": f"the patch of {run.id}"}


LISTING: Final = Tool("resources", "", "", may(), {}, _list, operator="list_atoms", pages="resources")
KINDS: Final[Mapping[str, tuple[str, Tool]]] = {
    "atoms": ("atom", Tool("pact://atoms", "Atom", "", needs(atom=ID), {}, atoms.get_atom, operator="get_atom")),
    "molecules": (
        "molecule",
        Tool("pact://molecules", "Molecule", "", needs(molecule=ID), {}, get_molecule, operator="get_molecule"),
    ),
    "runs": ("run", Tool("pact://runs", "Run", "", needs(run=ID), {}, review.show_run, operator="show_run")),
    "patches": (
        "patch",
        Tool("pact://patches", "Patch", "", needs(patch=PATCH), {}, review.get_patch, operator="load_pending"),
    ),
}


async def list_templates(_ctx: object, _params: object) -> ListResourceTemplatesResult:
    """The forms of addresses."""
    rows = [
        ResourceTemplate(uri_template=f"pact://{kind}/{{id}}", name=kind, title=tool.title, mime_type=MIME)
        for kind, (_, tool) in KINDS.items()
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
    argument, tool = KINDS[known[1]]
    found = await _carried_out(house, tool, {argument: known[2]}, caller)
    text = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
    return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type=MIME, text=text)])


async def _carried_out(house: House, tool: Tool, given: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
    try:
        return dict(await carry_out(house, tool, given, caller))  # type: ignore[arg-type]  # reading asks nobody
    except Failed as error:
        raise MCPError(INVALID_PARAMS, str(error)) from error
