"""Discovery finds the tests of a snapshot: settings, candidate files, facts (cached or parsed), then resolution.

All tests of a language are also cached as one result, keyed by the names and contents of everything that could change
them. Whatever else an adapter read is recorded with the result and compared before the result is reused.
"""

from __future__ import annotations

import hashlib
import zlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from functools import cache, cached_property, partial
from itertools import count, groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from pactkeeper import __version__
from pactkeeper.intent.patterns import matcher
from pactkeeper.intent.tests import Annotation, Gap, Scan, Test
from pactkeeper.repo.cache import Cache, NoCache, Reads, reads_of, recall, store
from pactkeeper.repo.languages import LANGUAGES, load
from pactkeeper.repo.languages.adapter import ALL, NOTHING_ADDED, Added, Configuration, Language
from pactkeeper.repo.snapshot import Snapshot
from pactkeeper.repo.unseen import is_unread

if TYPE_CHECKING:
    from pactkeeper.repo.facts import Facts, SnapshotView

_RESULTS: Final = "tests/4"
_RESULTS_KEPT: Final = 18
_QUICK: Final = 1  # the level of compression: a tenth of the size, so that a result is read in as much less time
LONGEST_NAME: Final = 2_000  # characters of a test's name, including its suites
_UNREAD: Final = "unread"  # used like a language name, for files of languages that are only counted
# No test framework keeps settings in files of these kinds, so adding one changes no result.
_INERT: Final = (".md", ".rst", ".txt", ".png", ".jpg", ".jpeg", ".gif", ".svg", ".css", ".html", ".po", ".pdf", ".csv")


@dataclass(frozen=True, slots=True)
class Selection:
    """What the pact's settings add to the runners' own: which files are candidates, and which are not."""

    added: Added = NOTHING_ADDED
    exclude: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Discovery:
    """How to scan: `progress` receives files done and files to parse; `processes` of None means one per core."""

    cache: Cache = field(default_factory=NoCache)
    selection: Selection = Selection()
    languages: tuple[str, ...] = LANGUAGES
    progress: Callable[[int, int], None] | None = None
    processes: int | None = None

    def scan(self, snapshot: Snapshot) -> Scan:
        """Return all tests of the snapshot, ordered by file, line and id, and every gap."""
        adapters = {name: load(name) for name in self.languages}
        return self._scan(snapshot, adapters, _results(self, snapshot, adapters))

    def scan_both(self, before: Snapshot, after: Snapshot) -> tuple[Scan, Scan]:
        """Return the scans of two snapshots, reading of the later one what a change affects if that is known."""
        adapters = {name: load(name) for name in self.languages}
        found = _results(self, before, adapters)
        later = _results(self, after, adapters, known=(before, dict(zip(adapters, found, strict=False))))
        return self._scan(before, adapters, found), self._scan(after, adapters, later)

    def _scan(self, snapshot: Snapshot, adapters: Mapping[str, Language], results: Sequence[Result]) -> Scan:
        unnameable = [gap for gap in snapshot.unnameable if _is_owned(gap.file, adapters)]
        excluded = matcher(self.selection.exclude)
        merged = _merged(results, (*unnameable, *snapshot.repositories))
        return replace(merged, gaps=tuple(gap for gap in merged.gaps if not excluded(gap.file)))


@dataclass(frozen=True, slots=True)
class Result:
    """Everything one language found in a snapshot; `reads` are the other files it read, with their identities.

    `by_file` are the tests, packed file by file. `rests` says what each file's tests rest on, as
    `FactSource.rests` does.
    """

    reads: Reads
    by_file: Mapping[str, bytes]
    gaps: tuple[Gap, ...]
    files: int
    rests: Mapping[str, tuple[str, ...]] | None = None


@dataclass(frozen=True)
class KeptTests(Collection[Test]):
    """The tests of one file, unpacked when one is asked for, and compared without that."""

    encoded: bytes

    @cached_property
    def _tests(self) -> tuple[Test, ...]:
        return _decoder()(zlib.decompress(self.encoded))

    def __iter__(self) -> Iterator[Test]:
        return iter(self._tests)

    def __len__(self) -> int:
        return len(self._tests)

    def __contains__(self, one: object) -> bool:
        return one in self._tests


@cache
def _decoder() -> Callable[[bytes], tuple[Test, ...]]:
    import msgspec  # noqa: PLC0415 - only where there are tests

    return msgspec.msgpack.Decoder(tuple[Test, ...]).decode


_Known = tuple[Snapshot, Mapping[str, Result]]
_NOTHING: Final = Result((), {}, (), 0)
# A result cached in another shape must never be decoded, so its field names are part of the key.
_SHAPE: Final = tuple(name for shape in (Result, Test, Annotation, Gap) for name in (*shape.__match_args__, ""))


def _results(
    discovery: Discovery, snapshot: Snapshot, adapters: dict[str, Language], *, known: _Known | None = None
) -> list[Result]:
    owned = _owned(adapters, snapshot.paths)
    excluded = matcher(discovery.selection.exclude)
    owned[_UNREAD] = [path for path in owned[""] if is_unread(path) and not excluded(path)]
    keys = {name: _key(discovery, snapshot, name=name, owned=owned) for name in (*adapters, _UNREAD)}
    wanted = {key: name for name, key in keys.items()}
    stored = recall(discovery.cache, snapshot, space=_RESULTS, keys=list(wanted), shape=Result)
    kept = {wanted[key]: result for key, result in stored.items()}
    missing = {name: adapter for name, adapter in adapters.items() if owned[name] and name not in kept}
    derived = _derive(discovery, snapshot, missing, owned=owned, known=known) if known is not None and missing else {}
    missing = {name: adapter for name, adapter in missing.items() if name not in derived}
    made = _make(discovery, snapshot, missing, owned=owned) if missing else {}
    if _UNREAD not in kept:
        made[_UNREAD] = _unread(discovery, snapshot, owned[_UNREAD])
    if made and not snapshot.unstable:  # what is derived is cheap to make again
        results = [(keys[name], result) for name, result in made.items()]
        store(discovery.cache, results, space=_RESULTS, keep=_RESULTS_KEPT)
    found = kept | derived | made
    return [found.get(name, _NOTHING) for name in keys]


def _unread(discovery: Discovery, snapshot: Snapshot, paths: Sequence[str]) -> Result:
    from pactkeeper.repo.unseen import unread_tests  # noqa: PLC0415 - only needed when no result is in the cache

    return Result((), {}, unread_tests(snapshot, paths, discovery.cache), 0)


def _owned(adapters: dict[str, Language], paths: Sequence[str]) -> dict[str, list[str]]:
    """Group the paths by language; the empty name holds other files that may contain settings."""
    owned: dict[str, list[str]] = {name: [] for name in ("", *adapters)}
    questions = [(owned[name].append, adapter.owns) for name, adapter in adapters.items()]
    others = owned[""].append
    for path in paths:
        for take, owns in questions:
            if owns(path):
                take(path)
                break
        else:
            if not path.endswith(_INERT):
                others(path)
    return owned


def _key(discovery: Discovery, snapshot: Snapshot, *, name: str, owned: dict[str, list[str]]) -> str:
    selection = discovery.selection
    head = (
        __version__,
        *_SHAPE,
        name,
        str(load(name).version) if name != _UNREAD else "",
        *(word for words in astuple(selection.added) for word in (*words, "")),
        *selection.exclude,
        "",
        *owned[""],
        "",
    )
    digest = hashlib.sha256("\0".join(head).encode())
    digest.update("\0".join([f"{path}\0{snapshot.identity(path)}" for path in owned[name]]).encode())
    return digest.hexdigest()


def _derive(
    discovery: Discovery,
    snapshot: Snapshot,
    adapters: dict[str, Language],
    *,
    owned: dict[str, list[str]],
    known: _Known,
) -> dict[str, Result]:
    """Return the results that follow from those of an earlier snapshot and from reading what the differences affect."""
    before, results = known
    found: dict[str, Result] = {}
    for name, adapter in adapters.items():
        paths = affected(results[name], before, snapshot, owned[name])
        if paths is not None:
            part = _make(discovery, snapshot, {name: adapter}, owned={name: paths})[name]
            whole = derived(results[name], part, snapshot, frozenset(paths))
            found.update({name: whole} if whole is not None else {})
    return found


def _make(
    discovery: Discovery, snapshot: Snapshot, adapters: dict[str, Language], *, owned: dict[str, list[str]]
) -> dict[str, Result]:
    from pactkeeper.repo.facts import Facts, SnapshotView, Task, parse_all  # noqa: PLC0415 - only needed when no result is in the cache
    from pactkeeper.repo.unseen import glimpses  # noqa: PLC0415 - likewise

    views = {name: SnapshotView(snapshot) for name in adapters}
    tables: dict[str, tuple[Facts, list[str], list[str]]] = {}
    for name, adapter in adapters.items():
        task = Task(name, adapter, adapter.configure(views[name], discovery.selection.added))
        candidates = _candidates(adapter, task.configuration, owned[name], discovery.selection)
        facts = Facts(task, views[name], discovery.cache)
        tables[name] = (facts, candidates, facts.recall(candidates))
    work = [(facts, paths) for facts, _, paths in tables.values()]
    parse_all(work, processes=discovery.processes, progress=discovery.progress)
    for facts, candidates, _ in tables.values():
        facts.settle()
        name = facts.task.name
        others = _others(owned[name], candidates, discovery.selection)
        facts.glimpses = glimpses(adapters[name], snapshot, others, cache=discovery.cache)
    return {
        name: _resolve(adapters[name], facts, views[name], candidates)
        for name, (facts, candidates, _) in tables.items()
    }


def _candidates(
    adapter: Language, configuration: Configuration, owned: Sequence[str], selection: Selection
) -> list[str]:
    included = matcher(selection.added.include)
    excluded = matcher(selection.exclude)
    chosen = set(adapter.candidates(configuration, owned))
    return [path for path in owned if (path in chosen or included(path)) and not excluded(path)]


def _others(owned: Sequence[str], candidates: Sequence[str], selection: Selection) -> list[str]:
    """Return a language's files that are neither collected nor excluded."""
    chosen, excluded = set(candidates), matcher(selection.exclude)
    return [path for path in owned if path not in chosen and not excluded(path)]


def _resolve(adapter: Language, facts: Facts, view: SnapshotView, candidates: Sequence[str]) -> Result:
    from pactkeeper.repo.unseen import is_named, uncollected  # noqa: PLC0415 - only needed when no result is in the cache

    resolved, gaps = adapter.resolve(facts.task.configuration, facts)
    facts.save()
    known = {test.file for test in resolved} | facts.called
    gaps += uncollected(adapter, facts.task.configuration, facts.glimpses, known)
    gaps += [_unnamed(test) for test in resolved if len(test.id) - len(test.file) > LONGEST_NAME]
    tests, repeated = _told_apart(test for test in resolved if len(test.id) - len(test.file) <= LONGEST_NAME)
    snapshot = view.snapshot
    looked_at = {*candidates, *view.reads, *facts.wanted}
    unseen = (gap for gap in snapshot.gaps if gap.file in looked_at or (adapter.owns(gap.file) and is_named(gap.file)))
    return Result(
        reads=reads_of(snapshot, view.reads),
        by_file=_by_file(tests),
        gaps=tuple(sorted({*gaps, *repeated, *facts.task.configuration.gaps, *facts.gaps, *unseen})),
        files=len(facts.candidates),
        rests=None if facts.rests is None else {path: tuple(others) for path, others in facts.rests.items()},
    )


def _by_file(tests: Iterable[Test]) -> Mapping[str, bytes]:
    import msgspec  # noqa: PLC0415 - only needed when no result is in the cache

    encode = msgspec.msgpack.Encoder().encode
    by_file = groupby(tests, attrgetter("file"))
    return {path: zlib.compress(encode(list(members)), _QUICK) for path, members in by_file}


def _unnamed(test: Test) -> Gap:
    said = f"the name {test.id[len(test.file) + 2 :][:40]!r}… has {len(test.id) - len(test.file) - 2:,} characters"
    return Gap(test.file, f"{said}; tests are read whose names have up to {LONGEST_NAME:,}", test.line)


def _merged(results: Sequence[Result], unnameable: Iterable[Gap]) -> Scan:
    gaps = {gap for result in results for gap in result.gaps} | set(unnameable)
    by_file = {path: KeptTests(tests) for result in results for path, tests in result.by_file.items()}
    files = sum(result.files for result in results)
    return Scan(dict(sorted(by_file.items())), tuple(sorted(gaps)), files, partial(_ground, results))


def _ground(results: Sequence[Result], path: str) -> frozenset[str] | None:
    """Return the files whose content decides which tests a file has; None if any may."""
    found = next((one for one in results if path in one.by_file), _NOTHING)
    if found.rests is None:
        return None
    rests = found.rests
    reached = _reached({path, *rests.get(ALL, ())}, lambda one: rests.get(one, ()))
    return None if ALL in reached else frozenset(reached).union(read for read, _ in found.reads)


def _told_apart(found: Iterable[Test]) -> tuple[list[Test], set[Gap]]:
    """Number tests that share an id, so that none hides another, and report a gap that their ids are not stable."""
    tests = sorted(found, key=attrgetter("file", "line", "id"))
    taken = {test.id for test in tests}
    seen: set[str] = set()
    told: list[Test] = []
    gaps: set[Gap] = set()
    for test in tests:
        name = test.id
        if name in seen:
            candidates = (f"{test.id}#{number}" for number in count(2))
            name = next(one for one in candidates if one not in taken)
            gaps.add(
                Gap(test.file, f"more than one test came out with the id {test.id!r}; they are numbered", test.line)
            )
        taken.add(name)
        seen.add(name)
        told.append(test if name == test.id else replace(test, id=name))
    return told, gaps


def _is_owned(path: str, adapters: Mapping[str, Language]) -> bool:
    return any(adapter.owns(path) for adapter in adapters.values())


def affected(known: Result, before: Snapshot, after: Snapshot, owned: Collection[str]) -> list[str] | None:
    """Return which of a language's files may have other tests than before, sorted; None if all may."""
    if known.rests is None or before.paths != after.paths or before.gaps != after.gaps:
        return None
    changed = {path for path in owned if before.identity(path) != after.identity(path)}
    settings = ((path, seen) for path, seen in known.reads if path not in changed)
    if changed.intersection(known.rests.get(ALL, ())) or any(after.identity(path) != seen for path, seen in settings):
        return None
    resting: defaultdict[str, list[str]] = defaultdict(list)
    for path, others in known.rests.items():
        for other in others:
            resting[other].append(path)
    found = _reached(changed, resting.__getitem__)
    return None if any(ALL in known.rests.get(path, ()) for path in found) else sorted(found)


def derived(known: Result, part: Result, snapshot: Snapshot, paths: Collection[str]) -> Result | None:
    """Join what was known with the result of the affected paths; None if that says too little about the others."""
    if known.rests is None or part.rests is None or not _is_closed(known, part, paths):
        return None
    here = {path: others for path, others in part.rests.items() if path != ALL}
    lost = {(path, other) for path in paths for other in known.rests.get(path, ()) if other not in here.get(path, ())}
    if lost or any(ALL in here.get(path, ()) for path in paths):
        return None
    there = {path: others for path, others in known.rests.items() if path not in paths}
    rests = {path: tuple(sorted({*here.get(path, ()), *there.get(path, ())})) for path in here.keys() | there.keys()}
    reads = {path for result in (known, part) for path, _ in result.reads}
    return replace(
        known,
        reads=reads_of(snapshot, reads),
        by_file={**{path: tests for path, tests in known.by_file.items() if path not in paths}, **part.by_file},
        gaps=tuple(sorted({*(gap for gap in known.gaps if gap.file not in paths), *part.gaps})),
        rests=rests,
    )


def _is_closed(known: Result, part: Result, paths: Collection[str]) -> bool:
    """Whether the affected files have tests as before, and neither give tests to other files nor take any of theirs."""
    told = known.by_file.keys() | {gap.file for gap in known.gaps}
    tested = part.by_file.keys()
    were = known.by_file.keys() & paths
    new = {gap.file for gap in set(part.gaps).difference(known.gaps)}
    used = {
        path
        for rests in (known.rests or {}, part.rests or {})
        for path in _reached(paths, lambda path, rests=rests: rests.get(path, ()))  # type: ignore[misc]
    }
    return (
        tested == were
        and part.files == len(tested)
        and tested | new <= set(paths)
        and not (used - set(paths) - {ALL}) & told
    )


def _reached(start: Iterable[str], following: Callable[[str], Iterable[str]]) -> set[str]:
    reached = set(start)
    pending = list(reached)
    while pending:
        fresh = [path for path in following(pending.pop()) if path not in reached]
        reached.update(fresh)
        pending += fresh
    return reached
