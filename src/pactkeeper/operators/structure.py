"""Verbs about structure: which files import each other, and how tests and atoms are linked."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pactkeeper.intent.patterns import matcher
from pactkeeper.intent.structure import Component, Edge, RepoStructure, SourceFile, Unresolved, narrow
from pactkeeper.intent.tests import Gap, under
from pactkeeper.ledger.canonical import tally
from pactkeeper.operators.view import Form, StateView, kept, state_key, viewed

if TYPE_CHECKING:
    from pactkeeper.intent.links import LinkedTest
    from pactkeeper.intent.pact import Pact
    from pactkeeper.workspace import Workspace


@dataclass(frozen=True, slots=True)
class StructureReport:
    """The structure of a view; `narrowed` says that it is only a part of the repository's."""

    snapshot: str
    structure: RepoStructure
    narrowed: bool


def get_repo_structure(
    workspace: Workspace, view: StateView, *, exclude: Sequence[str] = (), include_tests: bool = True
) -> StructureReport:
    """Find the files, imports, cycles and order of the view, except files matching `exclude`; works without a pact."""
    snapshot = viewed(workspace, view)

    def look() -> tuple[RepoStructure, bool]:
        return workspace.structure(snapshot, workspace.pact(snapshot, judged=False)), not snapshot.unstable

    structure = kept(workspace, _KEPT, state_key(workspace, snapshot, sys.version.partition(" ")[0]), look)
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


def _read(fields: Any) -> RepoStructure:  # noqa: ANN401 - as stored
    return RepoStructure(
        tuple(SourceFile(**{**one, "external": tuple(one["external"])}) for one in fields["files"]),
        tuple(Edge(**one) for one in fields["edges"]),
        tuple(Component(tuple(one["files"]), one["only_types"]) for one in fields["components"]),
        tuple(fields["order"]),
        tuple(Unresolved(**one) for one in fields["unresolved"]),
        tuple(Gap(**one) for one in fields["gaps"]),
    )


_KEPT: Final = Form("structure-report/1", 6, _read)


@dataclass(frozen=True, slots=True)
class FileLinks:
    """The tests of one file by the state of their links, with the atoms they name."""

    path: str
    states: Mapping[str, int]
    atoms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CouplingReport:
    """Links between tests and atoms; `alone` are live atoms without a test, committed ones first.

    `crowded` are the atoms named by tests in more than one file, with those files.
    """

    snapshot: str
    tests: Mapping[str, int]
    atoms: Mapping[str, int]
    files: tuple[FileLinks, ...]
    alone: tuple[str, ...]
    crowded: tuple[tuple[str, tuple[str, ...]], ...]


def coupling_report(workspace: Workspace, paths: Sequence[str] = ()) -> CouplingReport:
    """Count and list the links of the tests at or below the paths; atoms are those of the whole pact."""
    from pactkeeper.intent.links import realisers_by_atom  # noqa: PLC0415 - imports need no links

    snapshot = workspace.snapshot()
    world = workspace.world(snapshot)
    chosen = [entry for entry in world.linked if not paths or under(entry.test.file, paths)]
    files = tuple(_files(chosen))
    return CouplingReport(
        snapshot.name,
        tally(entry.state for entry in chosen),
        tally(str(world.pact.status_of(name)) for name in world.pact.atoms),
        files,
        _alone(world.pact, realisers_by_atom(world.linked)),
        tuple(_crowded(files)),
    )


def _files(entries: Iterable[LinkedTest]) -> Iterator[FileLinks]:
    by_file: dict[str, list[LinkedTest]] = {}
    for entry in entries:
        by_file.setdefault(entry.test.file, []).append(entry)
    for path, members in by_file.items():
        named = dict.fromkeys(atom for entry in members for atom in entry.atoms())
        yield FileLinks(path, tally(entry.state for entry in members), tuple(named))


def _crowded(files: Iterable[FileLinks]) -> Iterator[tuple[str, tuple[str, ...]]]:
    places: dict[str, list[str]] = {}
    for file in files:
        for atom in file.atoms:
            places.setdefault(atom, []).append(file.path)
    yield from ((atom, tuple(found)) for atom, found in sorted(places.items()) if len(found) > 1)


def _alone(pact: Pact, realisers: Mapping[str, object]) -> tuple[str, ...]:
    live = [name for name in pact.atoms if pact.status_of(name) not in {"superseded", "abandoned"}]
    lonely = [name for name in live if name not in realisers]
    return tuple(sorted(lonely, key=lambda name: (not pact.is_committed(name), name)))
