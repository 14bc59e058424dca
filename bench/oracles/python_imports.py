"""What Python's own parser and path finder say of the imports of a project: an independent second opinion.

    python -I python_imports.py ROOT  < JSON {"files": [...], "paths": {"prefix": ["folder", ...]}}

Every file is parsed with `ast`; names are looked up with `importlib.machinery.PathFinder`, which is what `import` asks,
in the folders that `paths` lists for the longest prefix of the file. No code of the project runs. Prints a JSON list of
[importer, imported, line].
"""

from __future__ import annotations

import ast
import json
import sys
import warnings
from collections.abc import Iterator, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path


def main() -> int:
    root = Path(sys.argv[1]).resolve()
    asked = json.load(sys.stdin)
    edges: dict[tuple[str, str], int] = {}
    for name in asked["files"]:
        folders = next(places for prefix, places in by_length(asked["paths"]) if name.startswith(prefix))
        for target, line in imported(root, name, [str(root / folder) for folder in folders]):
            if target.is_relative_to(root):
                edges.setdefault((name, target.relative_to(root).as_posix()), line)
    json.dump([[*ends, line] for ends, line in sorted(edges.items()) if ends[0] != ends[1]], sys.stdout)
    return 0


def by_length(paths: dict[str, list[str]]) -> list[tuple[str, list[str]]]:
    return sorted(paths.items(), key=lambda entry: -len(entry[0]))


def imported(root: Path, name: str, folders: Sequence[str]) -> Iterator[tuple[Path, int]]:
    """The files that one file's import statements name."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = ast.parse((root / name).read_bytes())
        except (SyntaxError, ValueError):
            return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from placed(find(alias.name.split("."), folders), node.lineno)
        elif isinstance(node, ast.ImportFrom):
            start = [str((root / name).parents[node.level - 1])] if node.level else folders
            parts = node.module.split(".") if node.module else []
            for alias in node.names:
                yield from placed(taken(parts, alias.name, start), node.lineno)


def placed(spec: ModuleSpec | None, line: int) -> Iterator[tuple[Path, int]]:
    if spec is not None and spec.origin and spec.origin.endswith(".py"):
        yield Path(spec.origin), line


def taken(parts: list[str], name: str, folders: Sequence[str]) -> ModuleSpec | None:
    """`from a.b import name`: the submodule where there is one, else the package."""
    inner = find([*parts, name], folders) if name != "*" else None
    if inner is not None and inner.origin:
        return inner
    return find(parts, folders) if parts else find(["__init__"], folders)


def find(parts: Sequence[str], folders: Sequence[str]) -> ModuleSpec | None:
    """Walk down from a top-level name as the import system does."""
    places: Sequence[str] | None = folders
    spec = None
    for part in parts:
        if places is None:
            return None
        spec = PathFinder.find_spec(part, list(places))
        if spec is None:
            return None
        places = spec.submodule_search_locations
    return spec


if __name__ == "__main__":
    sys.exit(main())
