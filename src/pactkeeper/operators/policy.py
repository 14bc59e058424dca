"""The verb that says which rule of the policy decides about an op, and why each earlier one does not."""

from __future__ import annotations

from dataclasses import dataclass

from pactkeeper.errors import UsageError
from pactkeeper.ledger.op import Op
from pactkeeper.ledger.policy import Case, Ruling, case_of, explain
from pactkeeper.operators.history import find_patch
from pactkeeper.reconcile.applying import health_of, policy_of
from pactkeeper.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Explained:
    """An op as the policy sees it, with the ruling on it when a person decides."""

    op: Op
    case: Case
    ruling: Ruling


def explain_policy(workspace: Workspace, name: str, *, patch: str | None = None) -> Explained:
    """Explain the op `name` of a patch (None: the newest); caps count per apply and are taken as unused."""
    known = find_patch(workspace, patch)
    op = next((one for one in known.ops if one.id == name), None)
    if op is None:
        raise UsageError(f"the patch {known.id} has no op {name!r}; pk reconcile --json lists them")
    world = workspace.world(workspace.snapshot())
    case = case_of(op, actor="person", health=health_of(op, world))
    return Explained(op, case, explain(policy_of(world.pact), case))
