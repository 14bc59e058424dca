"""The verb that tells which files of a repository import each other."""

from __future__ import annotations

from dataclasses import dataclass

from pactkeeper.intent.structure import RepoStructure, narrow
from pactkeeper.operators.view import View, refuse_unknown
from pactkeeper.workspace import Workspace


@dataclass(frozen=True, slots=True)
class StructureReport:
    """The structure of a view; `narrowed` says that it is a part of the repository's."""

    snapshot: str
    structure: RepoStructure
    narrowed: bool


def get_repo_structure(workspace: Workspace, view: View) -> StructureReport:
    """Find files, imports, circles and order of the view; works without a pact."""
    snapshot = workspace.snapshot(view.at, staged=view.staged)
    refuse_unknown(workspace, snapshot, view.paths)
    structure = workspace.structure(snapshot, workspace.pact(snapshot, judged=False))
    part = narrow(structure, view.paths) if view.paths else structure
    return StructureReport(snapshot.name, part, bool(view.paths))
