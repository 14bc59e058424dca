"""The parsed facts of one language in one snapshot: from the cache, parsed ahead for candidates, or parsed on demand.

Facts are keyed by adapter, version, parse key, path and blob id, which is everything `Language.parse` may look at.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pactkeeper import __version__
from pactkeeper.intent.tests import Gap, Test
from pactkeeper.repo.cache import Cache
from pactkeeper.repo.languages import owner
from pactkeeper.repo.languages.adapter import Configuration, Glimpse, Parser
from pactkeeper.repo.parsing import PASSED, SKIPPED, Parsed, default_processes, parse_demanded, parse_files
from pactkeeper.repo.snapshot import Snapshot

if TYPE_CHECKING:
    from pactkeeper.intent.claims import TestEvidence

_STORE_EVERY: Final = 500  # files; facts are stored as parsing goes on, so that an interrupted scan keeps its work


class SnapshotView:
    """A snapshot as an adapter sees it; it records which files outside the adapter's own a result depends on."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self.reads: set[str] = set()

    @property
    def paths(self) -> Sequence[str]:
        """All paths of the snapshot, sorted."""
        return self.snapshot.paths

    def read(self, path: str) -> bytes | None:
        """Return the file's bytes; None if there is no such file or it is a gap."""
        self.reads.add(path)
        return self.snapshot.read(path)


@dataclass(frozen=True, slots=True)
class Task:
    """What to parse with: the parser's name, the parser, and the project's settings for it."""

    name: str
    parser: Parser
    configuration: Configuration

    @property
    def space(self) -> str:
        """The cache space for facts of exactly this adapter and these settings."""
        return f"facts/{__version__}/{self.name}/{self.parser.version}/{self.configuration.parse_key}"


class Facts:
    """A language's marked facts by path, and what went wrong while getting them; an `adapter.FactSource`.

    `wanted` are the paths that resolution asked for beyond the candidates.
    """

    def __init__(self, task: Task, view: SnapshotView, cache: Cache) -> None:
        self.task = task
        self.gaps: list[Gap] = []
        self.wanted: set[str] = set()
        self.candidates: Sequence[str] = ()
        self.glimpses: Mapping[str, Glimpse] = {}
        self.rests: Mapping[str, Collection[str]] | None = None
        self.called: set[str] = set()
        self._view = view
        self._cache = cache
        self._marked: dict[str, bytes] = {}
        self._unsaved: list[tuple[str, bytes]] = []

    @property
    def paths(self) -> Sequence[str]:
        """All paths of the snapshot, sorted."""
        return self._view.paths

    def read(self, path: str) -> bytes | None:
        """Return the bytes of any file in the snapshot."""
        return self._view.read(path)

    def recall(self, candidates: Iterable[str]) -> list[str]:
        """Load the candidates' facts from the cache, and return the paths that still need parsing."""
        keys: dict[str, str] = {}
        for path in candidates:
            blob = self._view.snapshot.blob(path)
            if blob is not None:
                keys[_key(blob, path)] = path
        kept = self._cache.get_many(self.task.space, list(keys))
        for key, marked in kept.items():
            self._marked[keys[key]] = marked
        return [path for key, path in keys.items() if key not in kept]

    def parse(self, paths: Sequence[str], *, processes: int) -> Iterable[Parsed]:
        """Read and parse files, store their facts, and yield each file as it is done."""
        contents = self._view.snapshot.read_many(paths)
        sources = ((path, source) for path, source in contents if source is not None)
        try:
            for parsed in parse_files(self.task.name, self.task.configuration.parse_key, sources, processes=processes):
                self._keep(parsed)
                yield parsed
        finally:
            self.save()

    def settle(self) -> None:
        """Fix the candidates: the files whose facts passed the prefilter."""
        self.candidates = sorted(path for path, marked in self._marked.items() if marked[:1] == PASSED)

    def facts(self, path: str) -> bytes | None:
        """Return the facts of any file of this language, parsing it if that hasn't happened yet."""
        marked = self._marked.get(path)
        if (marked is None or marked[:1] == SKIPPED) and path not in self.wanted:
            marked = self._demand(path)
        return None if marked is None or marked[:1] == SKIPPED else marked[1:]

    def known(self, path: str) -> bytes | None:
        """Return the facts of a recalled or parsed file: empty if the prefilter rejected it, None if parsing failed."""
        marked = self._marked.get(path)
        return None if marked is None else marked[1:]

    def save(self) -> None:
        """Write new facts to the cache."""
        if self._unsaved:
            self._cache.put_many(self.task.space, self._unsaved)
            self._unsaved = []

    def _demand(self, path: str) -> bytes | None:
        self.wanted.add(path)
        blob = self._view.snapshot.blob(path) if self.task.parser.owns(path) else None
        if blob is None:
            return None
        key = _key(blob, path)
        cached = self._cache.get_many(self.task.space, [key]).get(key)
        if cached is not None and cached[:1] != SKIPPED:
            self._marked[path] = cached
            return cached
        source = self._view.snapshot.read(path)
        if source is not None:
            self._keep(parse_demanded(self.task.parser, path, source, self.task.configuration.parse_key))
        return self._marked.get(path)

    def _keep(self, parsed: Parsed) -> None:
        if parsed.marked is None:
            self.gaps.append(Gap(parsed.path, parsed.reason))
            self._marked.pop(parsed.path, None)
            return
        self._marked[parsed.path] = parsed.marked
        blob = self._view.snapshot.blob(parsed.path)
        if blob is not None:
            self._unsaved.append((_key(blob, parsed.path), parsed.marked))
        if len(self._unsaved) >= _STORE_EVERY:
            self.save()


def parse_all(
    work: Sequence[tuple[Facts, Sequence[str]]], *, processes: int | None, progress: Callable[[int, int], None] | None
) -> None:
    """Parse the paths of each entry; `progress` receives (done, total) across all of them."""
    total = sum(len(paths) for _, paths in work)
    done = 0
    for facts, paths in work:
        if not paths:
            continue
        for _ in facts.parse(paths, processes=processes or default_processes()):
            done += 1
            if progress is not None:
                progress(done, total)


def _key(blob: str, path: str) -> str:
    return f"{blob} {path}"


def gather(snapshot: Snapshot, tests: Sequence[Test]) -> Mapping[str, TestEvidence]:
    """Return the evidence of every given test by id; it is empty if the test's file can no longer be read."""
    from pactkeeper.intent.claims import TestEvidence  # noqa: PLC0415 - a scan needs none

    by_file: dict[str, list[Test]] = {}
    for test in tests:
        by_file.setdefault(test.file, []).append(test)
    found: dict[str, TestEvidence] = {}
    for path, members in sorted(by_file.items()):
        language = owner(path)
        source = snapshot.read(path)
        if language is not None and source is not None:
            found.update(language.evidence(path, source, tests=members, read=snapshot.read))
    for test in tests:
        found.setdefault(test.id, TestEvidence(test.id, test.suite, test.name))
    return found
