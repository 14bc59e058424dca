"""Who asks for a write: noted in the journal with everything else about it."""

from __future__ import annotations

from pactkeeper.errors import UsageError
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.workspace import Workspace


def asserted(workspace: Workspace) -> dict[str, JsonValue]:
    """The part of a note that names the person; empty where git knows nobody, for such a write needs no name."""
    try:
        return {"decided_by": [workspace.person()]}
    except UsageError:
        return {}
