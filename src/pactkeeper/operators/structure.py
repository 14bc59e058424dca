"""The verb that tells which files of a repository import each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pactkeeper.intent.paths import under
from pactkeeper.intent.patterns import matcher
from pactkeeper.intent.structure import RepoStructure, narrow
from pactkeeper.operators.view import StateView, refuse_unknown
from pactkeeper.workspace import Workspace


@dataclass(frozen=True, slots=True)
class StructureReport:
    """The structure of a view; `narrowed` says that it is a part of the repository's."""

    snapshot: str
    structure: RepoStructure
    narrowed: bool


def get_repo_structure(
    workspace: Workspace, view: StateView, *, exclude: Sequence[str] = (), include_tests: bool = True
) -> StructureReport:
    """Find files, imports, cycles and order of the view, but for files like `exclude`; works without a pact."""
    snapshot = workspace.snapshot(view.at, staged=view.staged)
    refuse_unknown(workspace, snapshot, view.paths)
    structure = workspace.structure(snapshot, workspace.pact(snapshot, judged=False))
    left_out = matcher(exclude)
    part = narrow(
        structure,
        lambda file: (
            (not view.paths or under(file.path, view.paths))
            and not left_out(file.path)
            and (include_tests or not file.is_test)
        ),
    )
    return StructureReport(snapshot.name, part, bool(view.paths or exclude) or not include_tests)
