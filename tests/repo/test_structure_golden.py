"""Two small repositories and their structure, compared with files that read well in a diff."""

import shutil
from pathlib import Path

import pytest

from pactkeeper.intent.structure import RepoStructure
from pactkeeper.repo import snapshot
from pactkeeper.repo.discovery import Discovery
from pactkeeper.repo.structure import structure_of
from tests.repo.repositories import create

SAMPLES = Path(__file__).parents[1] / "golden" / "structure"


def render(structure: RepoStructure) -> str:
    files = {file.path: file for file in structure.files}
    lines = []
    for path in structure.order:
        file = files[path]
        words = [file.language or "other", *(["test"] if file.is_test else []), f"depends on {file.dependencies}"]
        words += [f"{file.computed} computed"] if file.computed else []
        lines.append(f"{path}: {', '.join(words)}")
        edges = [edge for edge in structure.edges if edge.importer == path]
        lines += [f"  {edge.line:>2} {edge.imported}{' (types)' if edge.only_types else ''}" for edge in edges]
        lines += [f"   ? {lost.module} in line {lost.line}" for lost in structure.unresolved if lost.file == path]
        lines += [f"   < {name}" for name in file.external]
    for one in structure.components:
        lines.append(f"cycle{' (types)' if one.only_types else ''}: {' '.join(one.files)}")
    lines += [f"gap {gap.file}:{gap.line} {gap.reason}" for gap in structure.gaps]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("name", ["shop", "web"])
def test_sample_repository_has_this_structure(name, tmp_path):
    root = tmp_path / name
    shutil.copytree(SAMPLES / name, root)
    structure = structure_of(snapshot.worktree(create(root, {})), Discovery(processes=1))
    assert render(structure) == (SAMPLES / f"{name}.txt").read_text("utf-8")
