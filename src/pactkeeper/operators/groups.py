"""What becomes of the molecules that runs recommend without proposing them: a person keeps one, or turns it down."""

from __future__ import annotations

from collections.abc import Sequence

from pactkeeper.errors import UsageError
from pactkeeper.intent.records import MoleculeRecommendation
from pactkeeper.ledger.decision import Decision
from pactkeeper.ledger.op import Op
from pactkeeper.ledger.patch import Patch
from pactkeeper.operators.apply import apply_patch
from pactkeeper.reconcile.world import MOLECULE
from pactkeeper.store.recommendations import set_molecule_status
from pactkeeper.workspace import Workspace


def settle_groups(
    workspace: Workspace, groups: Sequence[MoleculeRecommendation], *, accepted: bool
) -> tuple[Decision, ...]:
    """Write the molecules into the pact, or keep that they are not wanted.

    Raises UsageError where an atom of one is not in the pact: its atoms are accepted and applied first.
    """
    if not accepted:
        for one in groups:
            set_molecule_status(workspace.history(), one.id, "rejected", one.molecule_id)
        return ()
    workspace.settle()
    pact = workspace.pact(workspace.snapshot(), required=True)
    missing = sorted({atom for one in groups for atom in one.atom_ids if atom not in pact.atoms})
    if missing:
        raise UsageError(f"{', '.join(missing)}: not in the pact; accept and apply the atoms of a molecule first")
    patch = Patch(workspace.repository.head() or "no commit yet", tuple(_op(one) for one in groups))
    by, at = workspace.person(), workspace.now().isoformat(timespec="seconds")
    decisions = tuple(Decision(op.id, op.shown_hash, "accept", by, at) for op in patch.ops)
    apply_patch(workspace, patch, decisions)
    for one in groups:
        set_molecule_status(workspace.history(), one.id, "applied", one.molecule_id)
    return decisions


def _op(one: MoleculeRecommendation) -> Op:
    payload = {
        "moleculeId": one.molecule_id,
        "name": one.name,
        "description": one.description,
        "atomRecommendationIds": list(one.atom_recommendation_ids),
        "atomIds": list(one.atom_ids),
        "confidence": one.confidence,
    }
    return Op("createMolecule", f"{MOLECULE}{one.molecule_id}", None, payload, group=f"{MOLECULE}{one.molecule_id}")
