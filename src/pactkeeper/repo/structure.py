"""The structure of a snapshot: the imports of every file, cached or parsed, resolved inside the repository.

It is cached as one result, keyed by the names of all files, the contents of those that import, and which hold tests.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from pactkeeper import __version__
from pactkeeper.intent.structure import Component, Edge, RepoStructure, SourceFile, Unresolved, join
from pactkeeper.intent.tests import Gap
from pactkeeper.repo.cache import Reads, reads_of, recall, store
from pactkeeper.repo.discovery import Discovery
from pactkeeper.repo.languages import load
from pactkeeper.repo.languages.adapter import Configuration, FileImports, Language, Resolver
from pactkeeper.repo.snapshot import Snapshot

if TYPE_CHECKING:
    from pactkeeper.repo.facts import Facts


_SPACE: Final = "structure/1"
_KEPT: Final = 6


@dataclass(frozen=True, slots=True)
class _Result:
    """A structure, and what else was read to build it."""

    reads: Reads
    structure: RepoStructure


_SHAPES: Final = (_Result, RepoStructure, SourceFile, Edge, Component, Unresolved, Gap)
_SHAPE: Final = tuple(name for shape in _SHAPES for name in (*shape.__match_args__, ""))


def structure_of(snapshot: Snapshot, discovery: Discovery) -> RepoStructure:
    """Return a snapshot's files with their imports; `discovery` says how to parse and which files hold tests."""
    adapters = {name: load(name) for name in discovery.languages}
    sources = {name: adapter.importing.sources(snapshot.paths) for name, adapter in adapters.items()}
    tests = frozenset(discovery.scan(snapshot).by_file)
    key = _key(snapshot, adapters, sources, tests)
    kept = recall(discovery.cache, snapshot, space=_SPACE, keys=[key], shape=_Result).get(key)
    if kept is not None:
        return kept.structure
    made = _make(snapshot, discovery, adapters, sources=sources, tests=tests)
    if not snapshot.unstable:
        store(discovery.cache, [(key, made)], space=_SPACE, keep=_KEPT)
    return made.structure


def _key(
    snapshot: Snapshot, adapters: Mapping[str, Language], sources: Mapping[str, Sequence[str]], tests: Iterable[str]
) -> str:
    """Return the cache key; it covers every path, because imports resolve by which files exist."""
    python = f"{sys.version_info.major}.{sys.version_info.minor}"  # its standard library counts as third-party
    versions = [f"{name} {adapter.importing.version}" for name, adapter in adapters.items()]
    parts = [__version__, python, *_SHAPE, *versions, "", *snapshot.paths, "", *sorted(tests)]
    digest = hashlib.sha256("\0".join(parts).encode())
    for paths in sources.values():
        digest.update("\0".join([f"{path}\0{snapshot.identity(path)}" for path in paths]).encode())
    return digest.hexdigest()


def _make(
    snapshot: Snapshot,
    discovery: Discovery,
    adapters: Mapping[str, Language],
    *,
    sources: Mapping[str, Sequence[str]],
    tests: frozenset[str],
) -> _Result:
    from pactkeeper.repo.facts import SnapshotView  # noqa: PLC0415 - only needed when no result is in the cache

    drawing = _Drawing(tests)
    reads: set[str] = set()
    parsed = _parse(snapshot, discovery, adapters, sources)
    for name, adapter in adapters.items():
        view = SnapshotView(snapshot)
        resolve, gaps = adapter.importing.resolver(view)
        drawing.gaps += [*gaps, *parsed[name].gaps]
        for path in sources[name]:
            drawing.add(path, adapter.importing.language(path), parsed[name].known(path), resolve)
        reads |= view.reads
    looked_at = reads.union(*sources.values())
    drawing.gaps += [gap for gap in snapshot.gaps if gap.file in looked_at]
    return _Result(reads_of(snapshot, reads), drawing.structure())


def _parse(
    snapshot: Snapshot, discovery: Discovery, adapters: Mapping[str, Language], sources: Mapping[str, Sequence[str]]
) -> dict[str, Facts]:
    """Return the imports of every file by language, as encoded facts."""
    from pactkeeper.repo.facts import Facts, SnapshotView, Task, parse_all  # noqa: PLC0415 - likewise

    found: dict[str, Facts] = {}
    work: list[tuple[Facts, Sequence[str]]] = []
    for name, adapter in adapters.items():
        task = Task(f"{name}.importing", adapter.importing, Configuration("", None))
        found[name] = Facts(task, SnapshotView(snapshot), discovery.cache)
        work.append((found[name], found[name].recall(sources[name])))
    parse_all(work, processes=discovery.processes, progress=discovery.progress)
    return found


@dataclass(slots=True)
class _Drawing:
    """A structure while files are added to it; `edges` are keyed by importing and imported file."""

    tests: frozenset[str]
    files: dict[str, SourceFile] = field(default_factory=dict)
    edges: dict[tuple[str, str], Edge] = field(default_factory=dict)
    unresolved: set[Unresolved] = field(default_factory=set)
    gaps: list[Gap] = field(default_factory=list)

    def add(self, path: str, language: str, facts: bytes | None, resolve: Resolver) -> None:
        """Add a file; one without facts gets a gap instead of imports."""
        imports = _decoded(facts)
        self.gaps += [Gap(path, reason, line) for line, reason in imports.problems]
        foreign: set[str] = set()
        for one in imports.found:
            target = resolve(path, one)
            for other in target.files:
                self._connect(Edge(path, other, one.line, one.only_types))
            self.unresolved.update(Unresolved(path, one.line, module) for module in target.missing)
            if target.package:
                foreign.add(target.package)
        self.files[path] = SourceFile(
            path, language, path in self.tests, external=tuple(sorted(foreign)), computed=len(imports.computed)
        )

    def _connect(self, edge: Edge) -> None:
        """Record an edge; the first of several imports counts, but a run-time import beats type-only ones."""
        ends = (edge.importer, edge.imported)
        known = self.edges.get(ends)
        if edge.importer == edge.imported:
            return
        if known is None:
            self.edges[ends] = edge
        elif known.only_types and not edge.only_types:
            self.edges[ends] = replace(known, only_types=False)

    def structure(self) -> RepoStructure:
        """Join what was added; files that are only imported are included without a language."""
        files = {edge.imported: SourceFile(edge.imported, "") for edge in self.edges.values()} | self.files
        joined = join(files.values(), self.edges.values())
        return replace(joined, unresolved=tuple(sorted(self.unresolved)), gaps=tuple(sorted(set(self.gaps))))


def _decoded(facts: bytes | None) -> FileImports:
    if not facts:
        return FileImports()
    from pactkeeper.repo.languages.outline import decode_imports  # noqa: PLC0415 - likewise

    return decode_imports(facts)
