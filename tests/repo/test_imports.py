"""The modules of the product itself: which of them can be imported first."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pactkeeper

ROOT = Path(pactkeeper.__file__).parent


def test_no_module_imports_itself_by_way_of_others() -> None:
    """Such a module fails or not by what was imported before it, so a suite that imports much never sees it."""
    modules = {_name(path): path for path in ROOT.rglob("*.py")}

    TopologicalSorter({name: _needs(name, path, modules) for name, path in modules.items()}).prepare()


def _name(path: Path) -> str:
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


def _needs(name: str, path: Path, modules: dict[str, Path]) -> set[str]:
    """The modules that run before this one can; its own packages are there already."""
    found = set()
    for named in _imported(ast.parse(path.read_bytes()).body):
        parts = named.split(".")
        found |= {".".join(parts[:length]) for length in range(1, len(parts) + 1)}
    return {one for one in found & modules.keys() if not f"{name}.".startswith(f"{one}.")}


def _imported(body: list[ast.stmt]) -> Iterator[str]:
    for one in body:
        if isinstance(one, ast.Import):
            yield from (alias.name for alias in one.names)
        elif isinstance(one, ast.ImportFrom):
            yield from (f"{one.module}.{alias.name}" for alias in one.names)
        elif isinstance(one, ast.Try):
            yield from _imported(one.body)
