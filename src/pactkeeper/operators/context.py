"""The verb that shows what belongs to a test: assertions, concepts, reached code, documents, files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pactkeeper.errors import UsageError
from pactkeeper.intent.context import BUDGET, SMALLEST_BUDGET, TestContext
from pactkeeper.operators.documents import documents
from pactkeeper.operators.named import named_tests
from pactkeeper.operators.view import StateView
from pactkeeper.repo.context import Sources, contexts

if TYPE_CHECKING:
    from pactkeeper.workspace import Workspace


def get_test_analysis(
    workspace: Workspace, view: StateView, names: Sequence[str], *, budget: int = BUDGET
) -> tuple[TestContext, ...]:
    """The contexts of the tests that the names mean, each within `budget` characters, in the order of the scan."""
    if budget < SMALLEST_BUDGET:
        raise UsageError(f"a context cannot be told in {budget!r} characters; give at least {SMALLEST_BUDGET}")
    snapshot = workspace.snapshot(view.at, staged=view.staged)
    world = workspace.world(snapshot)
    tests = [entry.test for entry in named_tests(world, names, folder=workspace.folder)]
    files = frozenset(test.file for test in world.scan.tests)
    structure = workspace.structure(snapshot, world.pact)
    with documents(workspace, snapshot) as (searched, outlines):
        return tuple(contexts(Sources(outlines, files, searched, structure), tests, budget=budget))
