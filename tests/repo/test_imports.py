"""The modules of the product itself: which of them can be imported first."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pactkeeper

ROOT = Path(pactkeeper.__file__).parent
FIRST = re.compile(r"^(?:@|(?:async )?def |class )", re.MULTILINE)


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
    for named in _imported(_head(path.read_text(encoding="utf-8"))):
        parts = named.split(".")
        found |= {".".join(parts[:length]) for length in range(1, len(parts) + 1)}
    return {one for one in found & modules.keys() if not f"{name}.".startswith(f"{one}.")}


def _head(source: str) -> list[ast.stmt]:
    """The statements before the first function or class, after which the linter allows no import."""
    try:
        return ast.parse(FIRST.split(source, maxsplit=1)[0]).body
    except SyntaxError:  # the word began a line of a text
        return ast.parse(source).body


def _imported(body: list[ast.stmt]) -> Iterator[str]:
    for one in body:
        if isinstance(one, ast.Import):
            yield from (alias.name for alias in one.names)
        elif isinstance(one, ast.ImportFrom):
            yield from (f"{one.module}.{alias.name}" for alias in one.names)
        elif isinstance(one, ast.Try):
            yield from _imported(one.body)
