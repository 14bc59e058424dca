"""The files of a repository, which of them import each other, the import cycles, and the dependency order.

Also directed graphs of names: strongly connected components, and how many names each name reaches.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pactkeeper.intent.tests import Gap


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file that imports or is imported; `language` is empty if no reader for its imports is known.

    `dependencies` counts the other files of the repository that it reaches, directly or not. `external` are the names
    of the third-party packages it imports, sorted. `computed` counts imports whose target is known only at run time.
    """

    path: str
    language: str
    is_test: bool = False
    dependencies: int = 0
    external: tuple[str, ...] = ()
    computed: int = 0


@dataclass(frozen=True, slots=True)
class Edge:
    """An import of one file by another; `line` is the first one's, `only_types` means that none of them runs."""

    importer: str
    imported: str
    line: int
    only_types: bool = False


@dataclass(frozen=True, slots=True, order=True)
class Unresolved:
    """An import of something in the repository that does not exist: generated, deleted or misspelt."""

    file: str
    line: int
    module: str


@dataclass(frozen=True, slots=True)
class Component:
    """A cycle of files; `only_types` means that imports which run do not form a cycle."""

    files: tuple[str, ...]
    only_types: bool = False


@dataclass(frozen=True, slots=True)
class RepoStructure:
    """The imports of one snapshot; every tuple is sorted, edges in the order of the importing file.

    `components` are the cycles, two files or more. `order` has the files with the fewest dependencies first, ties by
    path, so that every file follows what it imports, except in cycles.
    """

    files: tuple[SourceFile, ...]
    edges: tuple[Edge, ...]
    components: tuple[Component, ...]
    order: tuple[str, ...]
    unresolved: tuple[Unresolved, ...] = ()
    gaps: tuple[Gap, ...] = ()

    @property
    def test_files(self) -> tuple[str, ...]:
        """The files that declare tests."""
        return tuple(file.path for file in self.files if file.is_test)

    @property
    def external(self) -> Mapping[str, int]:
        """The number of files that import each third-party package, by package name."""
        counts = Counter(name for file in self.files for name in file.external)
        return dict(sorted(counts.items()))


def join(files: Iterable[SourceFile], edges: Iterable[Edge]) -> RepoStructure:
    """Build a structure from files and edges; counts, components and order are derived from these."""
    by_path = {file.path: file for file in sorted(files, key=lambda file: file.path)}
    ordered = tuple(sorted(edges, key=lambda edge: (edge.importer, edge.line, edge.imported)))
    leads_to = _adjacent(by_path, ordered)
    counts = reach_counts(leads_to)
    return RepoStructure(
        files=tuple(replace(file, dependencies=counts[path]) for path, file in by_path.items()),
        edges=ordered,
        components=_cycles(leads_to, _adjacent(by_path, [edge for edge in ordered if not edge.only_types])),
        order=tuple(sorted(by_path, key=lambda path: (counts[path], path))),
    )


def order_files(structure: RepoStructure, paths: Iterable[str]) -> tuple[str, ...]:
    """Sort paths by the number of files they reach, fewest first, ties by path; unknown files come last."""
    counts = {file.path: file.dependencies for file in structure.files}
    return tuple(sorted(paths, key=lambda path: (path not in counts, counts.get(path, 0), path)))


def narrow(structure: RepoStructure, wanted: Callable[[SourceFile], bool]) -> RepoStructure:
    """Keep the wanted files and what they import, wherever that is; counts still cover the whole repository.

    Every gap is kept, because one elsewhere may hide dependencies of these files.
    """
    kept = {file.path for file in structure.files if wanted(file)}
    return RepoStructure(
        files=tuple(file for file in structure.files if file.path in kept),
        edges=tuple(edge for edge in structure.edges if edge.importer in kept),
        components=tuple(one for one in structure.components if not kept.isdisjoint(one.files)),
        order=tuple(path for path in structure.order if path in kept),
        unresolved=tuple(one for one in structure.unresolved if one.file in kept),
        gaps=structure.gaps,
    )


def _adjacent(paths: Iterable[str], edges: Iterable[Edge]) -> dict[str, list[str]]:
    leads_to: dict[str, list[str]] = {path: [] for path in paths}
    for edge in edges:
        leads_to[edge.importer].append(edge.imported)
    return leads_to


def _cycles(every: Mapping[str, Sequence[str]], running: Mapping[str, Sequence[str]]) -> tuple[Component, ...]:
    """The components of two files or more; `running` are the edges of imports that run."""
    at_run_time = {name for members in strongly_connected(running) if len(members) > 1 for name in members}
    cycles = sorted(members for members in strongly_connected(every) if len(members) > 1)
    return tuple(Component(members, at_run_time.isdisjoint(members)) for members in cycles)


def strongly_connected(leads_to: Mapping[str, Sequence[str]]) -> list[tuple[str, ...]]:
    """Return the strongly connected components, each sorted, each after every component that it leads to.

    Every name has a key; a name without one leads nowhere. This is Tarjan's algorithm with an explicit stack, because
    chains of imports can exceed Python's recursion limit.
    """
    search = _Search(leads_to)
    for name in leads_to:
        if name not in search.numbers:
            search.visit(name)
    return search.found


def reach_counts(leads_to: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """Count how many other names each name reaches, directly or not."""
    components = strongly_connected(leads_to)
    place = {name: index for index, members in enumerate(components) for name in members}
    following = [_following(members, leads_to, place) for members in components]
    waiting = [0] * len(components)
    for targets in following:
        for target in targets:
            waiting[target] += 1
    return dict(_counted(components, following, waiting))


def _following(members: Sequence[str], leads_to: Mapping[str, Sequence[str]], place: Mapping[str, int]) -> set[int]:
    found = {place[target] for name in members for target in leads_to.get(name, ())}
    return found - {place[members[0]]}


def _counted(
    components: Sequence[tuple[str, ...]], following: Sequence[set[int]], waiting: list[int]
) -> Iterator[tuple[str, int]]:
    """Yield counts from one bit per name: a component's own bits and its targets', dropped after their last use."""
    reached: dict[int, int] = {}
    first = 0
    for index, members in enumerate(components):
        bits = ((1 << len(members)) - 1) << first
        first += len(members)
        for target in following[index]:
            bits |= reached[target]
            waiting[target] -= 1
            if not waiting[target]:
                del reached[target]
        if waiting[index]:
            reached[index] = bits
        yield from ((name, bits.bit_count() - 1) for name in members)


@dataclass(slots=True)
class _Search:
    """One run of Tarjan's algorithm; `lowest` is the smallest number on the path that a name can get back to."""

    leads_to: Mapping[str, Sequence[str]]
    numbers: dict[str, int] = field(default_factory=dict)
    lowest: dict[str, int] = field(default_factory=dict)
    path: list[str] = field(default_factory=list)
    on_path: set[str] = field(default_factory=set)
    found: list[tuple[str, ...]] = field(default_factory=list)

    def visit(self, root: str) -> None:
        pending = [self._enter(root)]
        while pending:
            name, targets = pending[-1]
            target = next(targets, None)
            if target is None:
                pending.pop()
                self._leave(name, pending[-1][0] if pending else None)
            elif target not in self.numbers:
                pending.append(self._enter(target))
            elif target in self.on_path:
                self.lowest[name] = min(self.lowest[name], self.numbers[target])

    def _enter(self, name: str) -> tuple[str, Iterator[str]]:
        self.numbers[name] = self.lowest[name] = len(self.numbers)
        self.path.append(name)
        self.on_path.add(name)
        return name, iter(self.leads_to.get(name, ()))

    def _leave(self, name: str, above: str | None) -> None:
        if self.lowest[name] == self.numbers[name]:
            members = [self.path.pop()]
            while members[-1] != name:
                members.append(self.path.pop())
            self.on_path.difference_update(members)
            self.found.append(tuple(sorted(members)))
        if above is not None:
            self.lowest[above] = min(self.lowest[above], self.lowest[name])
