"""What looks like tests in files that no adapter collected, so that nothing goes unseen in silence.

A search of the bytes picks the few files worth a look; only those are parsed. What was seen is kept by content.
"""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence

from pactkeeper import __version__
from pactkeeper.intent.tests import Gap
from pactkeeper.repo.cache import Cache
from pactkeeper.repo.languages.adapter import Configuration, Glimpse, Language
from pactkeeper.repo.languages.unread import count_tests, language_of
from pactkeeper.repo.snapshot import Snapshot


def glimpses(adapter: Language, snapshot: Snapshot, paths: Sequence[str], *, cache: Cache) -> dict[str, Glimpse]:
    """What is shaped like tests in these files, by path; files without anything are left out."""
    space = f"unseen/{__version__}/{adapter.name}/{adapter.version}"
    keys = {path: f"{blob} {path}" for path in paths if (blob := snapshot.blob(path)) is not None}
    known = cache.get_many(space, list(keys.values()))
    missing = [path for path, key in keys.items() if key not in known]
    fresh = {keys[path]: _encoded(seen) for path, seen in _looked(adapter, snapshot, missing)}
    if fresh:
        cache.put_many(space, list(fresh.items()))
    found = {path: known.get(key) or fresh.get(key) or b"" for path, key in keys.items()}
    return {path: _decoded(text) for path, text in found.items() if text}


def _looked(adapter: Language, snapshot: Snapshot, paths: Sequence[str]) -> Iterator[tuple[str, Glimpse | None]]:
    for path, source in snapshot.read_many(paths):
        if source is None:
            continue
        try:
            yield path, adapter.glimpse(path, source)
        except (RecursionError, MemoryError):
            yield path, Glimpse(1)


def _encoded(seen: Glimpse | None) -> bytes:
    return b"" if seen is None else b"%d %d %d" % (seen.count, seen.line, seen.hooks)


def _decoded(text: bytes) -> Glimpse:
    count, line, hooks = map(int, text.split())
    return Glimpse(count, line, bool(hooks))


def uncollected(
    adapter: Language, configuration: Configuration, seen: Mapping[str, Glimpse], collected: Collection[str]
) -> list[Gap]:
    """A gap for every file with something like tests; `collected` are files whose tests others brought in."""
    return [
        Gap(path, f"{_shaped(one.count)} not collected: {adapter.left_out(configuration, path)}; {_REMEDY}", one.line)
        for path, one in seen.items()
        if one.count and path not in collected
    ]


_REMEDY = "`[tests] include` adds the file, `exclude` leaves it out"


def _shaped(count: int) -> str:
    return "1 declaration looks like a test and is" if count == 1 else f"{count:,} declarations look like tests and are"


_SPACE = f"unread/1/{__version__}"


def unread_tests(snapshot: Snapshot, paths: Sequence[str], cache: Cache) -> tuple[Gap, ...]:
    """One gap for every language with tests, at the folder that holds all of them."""
    found: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
    for path, number in _counted(snapshot, paths, cache).items():
        if number:
            found[language_of(path)].append((path, number))
    return tuple(sorted(_gap(language, files) for language, files in found.items()))


def _counted(snapshot: Snapshot, paths: Sequence[str], cache: Cache) -> dict[str, int]:
    keys = {path: f"{blob} {path}" for path in paths if (blob := snapshot.blob(path)) is not None}
    known = cache.get_many(_SPACE, list(keys.values()))
    missing = [path for path, key in keys.items() if key not in known]
    fresh = {
        keys[path]: b"%d" % count_tests(path, source)
        for path, source in snapshot.read_many(missing)
        if source is not None
    }
    if fresh:
        cache.put_many(_SPACE, list(fresh.items()))
    return {path: int(known.get(key) or fresh.get(key) or b"0") for path, key in keys.items()}


def _gap(language: str, files: Sequence[tuple[str, int]]) -> Gap:
    number = sum(count for _, count in files)
    tests = f"{number:,} {language} test{'' if number == 1 else 's'}"
    place = posixpath.commonpath([posixpath.dirname(path) for path, _ in files]) or "."
    where = "1 file" if len(files) == 1 else f"{len(files):,} files"
    return Gap(place, f"{tests} in {where} {'is' if number == 1 else 'are'} not read: {language} is not supported")
