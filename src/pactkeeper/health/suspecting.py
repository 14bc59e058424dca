"""Which files a failure may come from besides those that it names: what its file imports, changed files first."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from pactkeeper.health.test_side import is_test_side
from pactkeeper.intent.health import Diagnostic
from pactkeeper.intent.structure import RepoStructure

MOST: Final = 3
_STEPS: Final = 4  # imports from the test to the file


def suspects(
    diagnostics: Iterable[Diagnostic], structure: RepoStructure, *, changed: Collection[str] = ()
) -> dict[str, tuple[str, ...]]:
    """At most three files for a failure, by fingerprint; changed files that are nearest come first.

    For a failing test they are what its file imports, for any other failure only what changed and its file imports.
    """
    imports: dict[str, list[str]] = {}
    for edge in structure.edges:
        imports.setdefault(edge.importer, []).append(edge.imported)
    known: dict[tuple[str, bool], tuple[str, ...]] = {}
    found: dict[str, tuple[str, ...]] = {}
    for one in diagnostics:
        place = _place(one, imports)
        key = place, bool(one.test)
        if place and key not in known:
            ranked = _ranked(_distances(place, imports), changed) if one.test else _changed(imports[place], changed)
            known[key] = tuple(ranked[:MOST])
        if place:
            found[one.fingerprint] = known[key]
    return found


def _place(one: Diagnostic, imports: Collection[str]) -> str:
    """The file to begin at: that of a failing test, or the one that fails itself."""
    if not one.test:
        return one.file if one.file in imports else ""
    return next((path for path in (one.file, *one.related) if path in imports and is_test_side(path)), "")


def _changed(imported: Sequence[str], changed: Collection[str]) -> list[str]:
    return sorted({path for path in imported if path in changed})


def _distances(start: str, imports: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """The files that a file leads to within a few imports, with how many it takes."""
    found, edge = {start: 0}, [start]
    for steps in range(1, _STEPS + 1):
        edge = sorted({path for importer in edge for path in imports.get(importer, ()) if path not in found})
        found.update(dict.fromkeys(edge, steps))
    return found


def _ranked(distances: Mapping[str, int], changed: Collection[str]) -> list[str]:
    """Files of the product: what changed, wherever it stands; where nothing did, what the test imports itself."""
    product = [path for path in distances if not is_test_side(path)]
    near = [path for path in product if path in changed] or [path for path in product if distances[path] == 1]
    return sorted(near, key=lambda path: (distances[path], path))
