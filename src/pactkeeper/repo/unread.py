"""Tests in languages that nothing here reads: counted by language, so that a repository of them is not called empty."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Sequence

from pactkeeper import __version__
from pactkeeper.intent.tests import Gap
from pactkeeper.repo.cache import Cache
from pactkeeper.repo.languages.unread import count_tests, language_of
from pactkeeper.repo.snapshot import Snapshot

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
