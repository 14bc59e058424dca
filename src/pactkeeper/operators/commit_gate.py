"""What the gate would say of a commitment, for those who may look but not commit."""

from __future__ import annotations

from pactkeeper.intent.gate import Gate
from pactkeeper.operators.commit import Ask, prepare_commit
from pactkeeper.workspace import Workspace


def gate_of(workspace: Workspace, atom: str) -> Gate:
    """What every rule says of committing the atom; nothing is written. Raises as `prepare_commit` does."""
    return prepare_commit(workspace, Ask((atom,), only_look=True)).gate
