"""Derive a language's result from that of an earlier snapshot, by reading only the files that a change affects.

Nothing is derived where that could differ from a full reading: a setting or a file name changed, an affected file has
no tests, or its tests are mixed with those of files that aren't affected.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pactkeeper.repo.cache import reads_of
from pactkeeper.repo.languages.adapter import ALL

if TYPE_CHECKING:
    from pactkeeper.repo.discovery import Result
    from pactkeeper.repo.snapshot import Snapshot

Rests = Mapping[str, Sequence[str]]


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
