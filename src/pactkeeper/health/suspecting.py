"""Which files of the product a failing test is about where it names none: what it imports, changed files first."""

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
    """At most three files for every failing test, by fingerprint: those that changed and are nearest come first."""
    imports: dict[str, list[str]] = {}
    for edge in structure.edges:
        imports.setdefault(edge.importer, []).append(edge.imported)
    found: dict[str, tuple[str, ...]] = {}
    known: dict[str, Sequence[str]] = {}
    for one in diagnostics:
        place = next((path for path in (one.file, *one.related) if path in imports and is_test_side(path)), "")
        if place:
            if place not in known:
                known[place] = _ranked(_distances(place, imports), changed)
            found[one.fingerprint] = tuple(known[place][:MOST])
    return found


def _distances(start: str, imports: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """The files that a file leads to within a few imports, with how many it takes."""
    found, edge = {start: 0}, [start]
    for steps in range(1, _STEPS + 1):
        edge = sorted({path for importer in edge for path in imports.get(importer, ()) if path not in found})
        found.update(dict.fromkeys(edge, steps))
    return found


def _ranked(distances: Mapping[str, int], changed: Collection[str]) -> list[str]:
    """Files of the product: what changed, wherever it stands, then what the test imports itself."""
    product = [path for path in distances if not is_test_side(path)]
    near = [path for path in product if path in changed or distances[path] == 1]
    return sorted(near, key=lambda path: (path not in changed, distances[path], path))
