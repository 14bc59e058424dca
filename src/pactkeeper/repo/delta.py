"""Compare two scans and report what happened to each test.

A test is the same test if its id is unchanged, if its file was renamed and the rest of its id is unchanged, or if its
body is unchanged. A test is not reported as deleted if it may be somewhere the later scan could not look, nor as added
if it may have been somewhere the earlier scan could not look.

Removed files are matched with added ones by equal content first, then by at least half of their text in common.

This is decided here rather than by git because a renamed file may be untracked, which `git diff` never shows. Using one
rule for the working tree, the index and commits gives the same delta whether a change is staged or not.
"""

from __future__ import annotations

import posixpath
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pactkeeper.intent.patterns import path_filter
from pactkeeper.intent.tests import Gap, Scan, Test, escape_part, file_of
from pactkeeper.repo.snapshot import Snapshot

_MOST_PAIRS: Final = 40_000  # beyond this, tests that share a body are paired in order of appearance
Pair = tuple[Test, Test]
Step = tuple[str, str]  # the id before, the id after


@dataclass(frozen=True, slots=True)
class Delta:
    """The tests that changed, by id, each list in the order of the scan that the ids come from.

    `added` and `modified` are ids from the later scan, `deleted` from the earlier one. `moved` tests kept their name
    but are in another file or suite; `renamed` ones have a new name, wherever they are. A test whose body also changed
    is in `modified` as well. `unseen` are tests of either scan that the other could not have seen; `gaps` are the later
    scan's.
    """

    added: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()
    moved: tuple[Step, ...] = ()
    renamed: tuple[Step, ...] = ()
    deleted: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()
    gaps: tuple[Gap, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether no test changed; gaps don't count."""
        return not (self.added or self.modified or self.moved or self.renamed or self.deleted)

    def under(self, paths: Sequence[str]) -> Delta:
        """Keep only files at or below these paths; a step counts if either end matches. Gaps are kept."""
        wanted = path_filter(paths)

        def inside(*names: str) -> bool:
            return any(wanted(file_of(name)) for name in names)

        return replace(
            self,
            added=tuple(name for name in self.added if inside(name)),
            modified=tuple(name for name in self.modified if inside(name)),
            moved=tuple(step for step in self.moved if inside(*step)),
            renamed=tuple(step for step in self.renamed if inside(*step)),
            deleted=tuple(name for name in self.deleted if inside(name)),
            unseen=tuple(name for name in self.unseen if inside(name)),
        )


def delta(before: Scan, after: Scan, renamed_files: Mapping[str, str] | None = None) -> Delta:
    """Compare two scans; `renamed_files` maps old paths to new ones."""
    files = before.differing(after)
    gone, new = before.within(files).tests, after.within(files).tests
    matching = _Matching(*_differing(gone, new), renamed_files or {})
    matching.by_id()
    matching.by_renamed_file()
    matching.by_body()
    matching.by_place()
    matching.by_name()
    return _told(before, after, matching, renamed_files or {})


def _differing(before: Sequence[Test], after: Sequence[Test]) -> tuple[list[Test], list[Test]]:
    """Return both without the tests that are the same in every respect."""
    later = {test.id: test for test in after}
    gone = [test for test in before if (now := later.get(test.id)) is not test and now != test]
    same = {test.id for test in before} - {test.id for test in gone}
    return gone, [test for test in after if test.id not in same]


class _Matching:
    """Tests of two scans while they are being paired; `gone` and `new` hold the unpaired ones in scan order."""

    def __init__(self, before: Sequence[Test], after: Sequence[Test], renames: Mapping[str, str]) -> None:
        self.gone = {test.id: test for test in before}
        self.new = {test.id: test for test in after}
        self.order = tuple(self.new)
        self.renames = renames
        self.pairs: list[Pair] = []

    def by_id(self) -> None:
        self._pair([(test, self.new[name]) for name, test in self.gone.items() if name in self.new])

    def by_renamed_file(self) -> None:
        """Pair tests whose file was renamed and whose id is otherwise unchanged."""
        found = []
        for name, test in self.gone.items():
            target = self.renames.get(test.file)
            if target is not None:
                moved = self.new.get(escape_part(target) + name[len(escape_part(test.file)) :])
                if moved is not None:
                    found.append((test, moved))
        self._pair(found)

    def by_body(self) -> None:
        """Pair tests with the same body; if several share it, the closest ones are paired."""
        bodies: defaultdict[str, list[Test]] = defaultdict(list)
        for test in self.new.values():
            bodies[test.body_hash].append(test)
        wanted: defaultdict[str, list[Test]] = defaultdict(list)
        for test in self.gone.values():
            if test.body_hash in bodies:
                wanted[test.body_hash].append(test)
        for body, gone in wanted.items():
            self._pair(list(_nearest(gone, bodies[body], self.renames)))

    def by_place(self) -> None:
        """Pair a changed test with one in the place that most other tests of its suite went to."""
        places: defaultdict[tuple[str, tuple[str, ...]], Counter[tuple[str, tuple[str, ...]]]] = defaultdict(Counter)
        for gone, new in self.pairs:
            if _place(gone) != _place(new):
                places[_place(gone)][_place(new)] += 1
        offered: defaultdict[tuple[str, tuple[str, ...], str], list[Test]] = defaultdict(list)
        for test in self.new.values():
            offered[*_place(test), test.name].append(test)
        found = []
        for test in self.gone.values():
            for place, _ in sorted(places[_place(test)].items(), key=lambda item: (-item[1], item[0])):
                if offered[*place, test.name]:
                    found.append((test, offered[*place, test.name].pop(0)))
                    break
        self._pair(found)

    def by_name(self) -> None:
        """Pair tests that kept their file and a name unique in it, and only changed suite, whatever else changed."""
        gone = [(self.renames.get(test.file, test.file), test.name) for test in self.gone.values()]
        new = [(test.file, test.name) for test in self.new.values()]
        once = {name for name, times in Counter(gone).items() if times == 1}
        once &= {name for name, times in Counter(new).items() if times == 1}
        partners = dict(zip(new, self.new.values(), strict=True))
        self._pair(
            [(test, partners[name]) for name, test in zip(gone, [*self.gone.values()], strict=True) if name in once]
        )

    def _pair(self, pairs: Iterable[Pair]) -> None:
        for gone, new in pairs:
            self.pairs.append((gone, new))
            del self.gone[gone.id]
            del self.new[new.id]


def _place(test: Test) -> tuple[str, tuple[str, ...]]:
    return test.file, test.suite


def _nearest(gone: list[Test], new: list[Test], renames: Mapping[str, str]) -> Iterator[Pair]:
    """Pair tests that share a body: by what they kept of file, suite and name, then by how similar their names are."""

    def file_of(test: Test) -> str:
        return renames.get(test.file, test.file)

    keys: tuple[Callable[[Test], Hashable], ...] = (
        lambda test: (test.suite, test.name),
        lambda test: (file_of(test), test.name),
        lambda test: test.name,
    )
    for key in keys:
        gone, new = yield from _paired_by(key, gone, new)
    for key in (lambda test: (file_of(test), test.suite), file_of, lambda _: None):
        gone, new = yield from _paired_alike(key, gone, new)


def _paired_by(
    key: Callable[[Test], Hashable], gone: list[Test], new: list[Test]
) -> Generator[Pair, None, tuple[list[Test], list[Test]]]:
    """Yield pairs with equal keys in scan order, and return what is left of both sides."""
    offered: defaultdict[Hashable, deque[Test]] = defaultdict(deque)
    for test in new:
        offered[key(test)].append(test)
    left = []
    used = set()
    for test in gone:
        choices = offered.get(key(test))
        if choices:
            used.add(choices[0].id)
            yield test, choices.popleft()
        else:
            left.append(test)
    return left, [test for test in new if test.id not in used]


def _paired_alike(
    key: Callable[[Test], Hashable], gone: list[Test], new: list[Test]
) -> Generator[Pair, None, tuple[list[Test], list[Test]]]:
    """Yield pairs with equal keys, most similar names first, and return what is left of both sides."""
    if len(gone) * len(new) > _MOST_PAIRS:
        return (yield from _paired_by(key, gone, new))
    pairs = sorted(
        (-_alike(one.name, other.name), position, place)
        for position, one in enumerate(gone)
        for place, other in enumerate(new)
        if key(one) == key(other)
    )
    gone_used: set[int] = set()
    new_used: set[int] = set()
    for _, position, place in pairs:
        if position not in gone_used and place not in new_used:
            gone_used.add(position)
            new_used.add(place)
            yield gone[position], new[place]
    return (
        [test for position, test in enumerate(gone) if position not in gone_used],
        [test for place, test in enumerate(new) if place not in new_used],
    )


def _alike(one: str, other: str) -> int:
    """Return how much of the longer name both share at their ends, in percent."""
    shorter = min(len(one), len(other))
    start = next((at for at in range(shorter) if one[at] != other[at]), shorter)
    end = next((at for at in range(shorter - start) if one[-1 - at] != other[-1 - at]), shorter - start)
    return (start + end) * 100 // max(len(one), len(other), 1)


def _told(before: Scan, after: Scan, matching: _Matching, renames: Mapping[str, str]) -> Delta:
    changed = {new.id for gone, new in matching.pairs if (gone.body_hash, gone.helpers) != (new.body_hash, new.helpers)}
    steps = {new.id: (gone, new) for gone, new in matching.pairs if gone.id != new.id}
    moved = {name for name, (gone, new) in steps.items() if gone.name == new.name and _place(gone) != _place(new)}
    suffixes = set(map(_suffix, before.by_file.keys() | after.by_file.keys()))
    hidden_after = _Hidden(after.gaps, before.gaps, suffixes)
    hidden_before = _Hidden(before.gaps, after.gaps, suffixes)
    origins = {new: old for old, new in renames.items()}
    lost = {test.id for test in matching.gone.values() if hidden_after.hides(test.file, renames.get(test.file))}
    unknown = {test.id for test in matching.new.values() if hidden_before.hides(test.file, origins.get(test.file))}
    return Delta(
        added=tuple(name for name in matching.order if name in matching.new and name not in unknown),
        modified=tuple(name for name in matching.order if name in changed),
        moved=tuple((steps[name][0].id, name) for name in matching.order if name in moved),
        renamed=tuple((steps[name][0].id, name) for name in matching.order if name in steps and name not in moved),
        deleted=tuple(name for name in matching.gone if name not in lost),
        unseen=(
            *(name for name in matching.gone if name in lost),
            *(name for name in matching.order if name in unknown),
        ),
        gaps=after.gaps,
    )


class _Hidden:
    """The places one scan could not look where the other perhaps could.

    A limit that both scans met at a place inside a file, such as a class created at run time, hides nothing that either
    of them did see. Broken syntax always hides tests, because its extent is unknown. A gap in settings hides its whole
    folder.
    """

    def __init__(self, gaps: Sequence[Gap], others: Sequence[Gap], suffixes: set[str]) -> None:
        standing = {(gap.file, gap.reason) for gap in others}
        fresh = [gap for gap in gaps if (gap.file, gap.reason) not in standing]
        damaged = (gap.file for gap in gaps if gap.line == 0 or "syntax" in gap.reason or "nested" in gap.reason)
        self._files = {*(gap.file for gap in fresh), *damaged}
        settings = (gap for gap in fresh if _is_settings(gap.file, suffixes))
        self._folders = tuple({gap.file.rpartition("/")[0] for gap in settings})

    def hides(self, *paths: str | None) -> bool:
        """Whether one of these files may contain a test that the scan missed."""
        return any(path is not None and (path in self._files or self._below(path)) for path in paths)

    def _below(self, path: str) -> bool:
        return any(not folder or path.startswith(f"{folder}/") for folder in self._folders)


def _is_settings(path: str, suffixes: set[str]) -> bool:
    name = path.rpartition("/")[2]
    return _suffix(path) not in suffixes or ".config." in name or name.startswith(".")


def _suffix(path: str) -> str:
    return path.rpartition(".")[2]


def delta_between(base: Snapshot, before: Scan, target: Snapshot, after: Scan) -> Delta:
    """Compare two snapshots' scans, following renamed files; both must be complete (narrow the result with `under`)."""
    removed = _only_in(base, before, other=target)
    added = _only_in(target, after, other=base)
    return delta(before, after, renames(removed, added) if removed and added else {})


def _only_in(snapshot: Snapshot, scan: Scan, *, other: Snapshot) -> dict[str, bytes]:
    """Return the contents of files with tests or gaps that the other snapshot does not have."""
    files = scan.by_file.keys() | {gap.file for gap in scan.gaps}
    paths = sorted(path for path in files if path in snapshot and path not in other)
    return {path: source for path, source in snapshot.read_many(paths) if source is not None}


_SIMILAR: Final = 50  # percent of the larger file; the threshold of `git diff -M`
_MOST_RENAMES: Final = 4_000  # beyond this, only files with the same name or the same folder are compared


def renames(removed: Mapping[str, bytes], added: Mapping[str, bytes]) -> dict[str, str]:
    """Pair old paths with new ones, each at most once; the result is deterministic."""
    found = dict(_equal(removed, added))
    gone = {path: source for path, source in removed.items() if path not in found}
    taken = set(found.values())
    new = {path: source for path, source in added.items() if path not in taken}
    for _, _, old_path, new_path in sorted(_similar(gone, new)):
        if old_path not in found and new_path not in taken:
            found[old_path] = new_path
            taken.add(new_path)
    return found


def _equal(removed: Mapping[str, bytes], added: Mapping[str, bytes]) -> Iterator[tuple[str, str]]:
    by_content: defaultdict[bytes, list[str]] = defaultdict(list)
    for path in sorted(added):
        by_content[added[path]].append(path)
    for path in sorted(removed):
        choices = by_content.get(removed[path])
        if choices and removed[path].strip():
            best = min(choices, key=lambda choice: (-_closeness(path, choice), choice))
            choices.remove(best)
            yield path, best


def _similar(removed: Mapping[str, bytes], added: Mapping[str, bytes]) -> Iterator[tuple[int, int, str, str]]:
    """Yield sortable candidates: best score first, then those whose paths have most in common."""
    old_lines = {path: _lines(source) for path, source in removed.items()}
    new_lines = {path: _lines(source) for path, source in added.items()}
    for old, new in _pairs(removed, added):
        largest = max(len(removed[old]), len(added[new]))
        if min(len(removed[old]), len(added[new])) * 100 < largest * _SIMILAR:
            continue
        score = _common(old_lines[old], new_lines[new]) * 100 // max(largest, 1)
        if score >= _SIMILAR:
            yield -score, -_closeness(old, new), old, new


def _pairs(removed: Iterable[str], added: Iterable[str]) -> list[tuple[str, str]]:
    every = [(old, new) for old in removed for new in added if _ending(old) == _ending(new)]
    if len(every) <= _MOST_RENAMES:
        return every
    return [(old, new) for old, new in every if _closeness(old, new) > 0]


def _closeness(old: str, new: str) -> int:
    """2 for the same file name, 1 for the same folder, 0 otherwise."""
    if posixpath.basename(old) == posixpath.basename(new):
        return 2
    return int(posixpath.dirname(old) == posixpath.dirname(new))


def _lines(source: bytes) -> Counter[bytes]:
    return Counter(source.replace(b"\r\n", b"\n").splitlines(keepends=True))


def _common(one: Counter[bytes], other: Counter[bytes]) -> int:
    if len(other) < len(one):
        one, other = other, one
    return sum(len(line) * min(times, other[line]) for line, times in one.items() if line in other)


def _ending(path: str) -> str:
    return posixpath.splitext(path)[1]


def changed_paths(before: Snapshot, after: Snapshot) -> frozenset[str]:
    """Return the paths whose content differs or that only one side has."""
    paths = {*before.paths, *after.paths}
    return frozenset(path for path in paths if _identity(before, path) != _identity(after, path))


def _identity(snapshot: Snapshot, path: str) -> str:
    """Return what to compare a file by; one outside a sparse checkout is still what the index says."""
    return snapshot.outside.get(path) or (snapshot.identity(path) if path in snapshot else "")
