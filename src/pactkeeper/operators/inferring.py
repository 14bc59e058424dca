"""The verb that says what rules make of tests, without a run and without storing anything."""

from __future__ import annotations

from collections.abc import Sequence

from pactkeeper.operators.named import named_tests
from pactkeeper.reconcile.propose import Inferred
from pactkeeper.reconcile.test_inference import infer_tests
from pactkeeper.workspace import Workspace


def infer_atom_from_test(workspace: Workspace, names: Sequence[str]) -> tuple[Inferred, ...]:
    """The behaviour that rules read from each named test, with their confidence and what leaves them unsure.

    Raises UsageError for a name that means no test.
    """
    snapshot = workspace.snapshot()
    world = workspace.world(snapshot)
    return infer_tests(snapshot, named_tests(world, names, folder=workspace.folder))
