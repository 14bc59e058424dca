"""The gate's verdict on a commitment, for callers that may look but not commit."""

from __future__ import annotations

from pactkeeper.intent.gate import Gate
from pactkeeper.operators.commit import Ask, prepare_commit
from pactkeeper.workspace import Workspace


def gate_of(workspace: Workspace, atom: str) -> Gate:
    """Run every invariant against committing the atom; nothing is written. Raises what `prepare_commit` raises."""
    return prepare_commit(workspace, Ask((atom,), only_look=True)).gate
