"""The strength of tests and of what supports them, read from the files of a snapshot."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from pactkeeper.intent.strength.effect import strength_of
from pactkeeper.intent.strength.facts import Strength
from pactkeeper.intent.tests import Test
from pactkeeper.repo.languages import owner
from pactkeeper.repo.snapshot import Snapshot


def strengths(snapshot: Snapshot, tests: Iterable[Test]) -> Mapping[str, Strength]:
    """The effective strength of every given test, by id; a test whose file cannot be read is unread."""
    by_file: defaultdict[str, list[Test]] = defaultdict(list)
    for test in tests:
        by_file[test.file].append(test)
    found: dict[str, Strength] = {}
    for path, members in by_file.items():
        found.update(_of_file(snapshot, path, members))
    return found


def _of_file(snapshot: Snapshot, path: str, tests: Sequence[Test]) -> Mapping[str, Strength]:
    language, source = owner(path), snapshot.read(path)
    if language is None or source is None:
        return {test.id: Strength(unread=(f"{path} cannot be read",)) for test in tests}
    programs = language.programs(path, source, tests=tests, read=snapshot.read)
    return {name: strength_of(program) for name, program in programs.items()}


def support_strengths(snapshot: Snapshot, path: str) -> Mapping[str, Strength]:
    """The strength of every function of a file that supports tests, by name."""
    language, source = owner(path), snapshot.read(path)
    if language is None or source is None:
        return {}
    programs = language.support(path, source, read=snapshot.read)
    return {name: strength_of(program) for name, program in programs.items()}
