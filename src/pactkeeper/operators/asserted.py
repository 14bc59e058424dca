"""Who asked for a write, as noted in the journal."""

from __future__ import annotations

from pactkeeper.errors import UsageError
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.workspace import Workspace


def asserted(workspace: Workspace) -> dict[str, JsonValue]:
    """Return the note that names the person; empty if git knows nobody, since such a write needs no name."""
    try:
        return {"decided_by": [workspace.person()]}
    except UsageError:
        return {}
