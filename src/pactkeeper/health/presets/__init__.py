"""The checks that a project's own files call for, one module an ecosystem; used where none is declared."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from pactkeeper.health.planned import Planned, Project
from pactkeeper.health.presets import go, java, node, python, rust

Preset = Callable[[Project], tuple[Planned, ...]]
PRESETS: Final[Mapping[str, Preset]] = {
    "node": node.checks,
    "python": python.checks,
    "go": go.checks,
    "rust": rust.checks,
    "java": java.checks,
}
_MOST_FOLDERS: Final = 20
_NOT_OURS: Final = frozenset({"node_modules", "vendor", "third_party", "examples", "example", "docs", "build", "dist"})


def detect(root: Path, home: Path) -> tuple[Planned, ...]:
    """Every check that the files at `root` call for; what is not there is looked for in the folders right below."""
    return tuple(one for preset in PRESETS.values() for one in _of(preset, root, home))


def _of(preset: Preset, root: Path, home: Path) -> tuple[Planned, ...]:
    found = preset(Project(root, ".", home))
    if found:
        return found
    folders = sorted(
        one.name for one in root.iterdir() if one.is_dir() and one.name[0] != "." and one.name not in _NOT_OURS
    )
    return tuple(check for name in folders[:_MOST_FOLDERS] for check in preset(Project(root, name, home)))
