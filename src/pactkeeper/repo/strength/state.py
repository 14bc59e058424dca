"""One state of the code with its tests, whose strengths are read on demand."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from pactkeeper.intent.claims import Expression
from pactkeeper.intent.strength.facts import Strength
from pactkeeper.intent.tests import Scan, Test
from pactkeeper.repo.cache import Cache
from pactkeeper.repo.snapshot import Snapshot
from pactkeeper.repo.strength.reading import strengths


@dataclass(frozen=True, slots=True)
class TestState:
    """One state of the code, with its tests; `cache` keeps the strengths that were read."""

    snapshot: Snapshot
    scan: Scan
    cache: Cache | None = None

    def tests_of(self, path: str) -> Collection[Test]:
        """Return the tests of one file."""
        return self.scan.by_file.get(path, ())

    @property
    def tested(self) -> tuple[Snapshot, Mapping[str, Collection[Test]]]:
        """The files of this state, and its tests by file."""
        return self.snapshot, self.scan.by_file

    def within(self, files: Collection[str]) -> TestState:
        """Return this state with only the tests of some files."""
        return replace(self, scan=self.scan.within(files))

    def strengths(
        self, tests: Iterable[Test], *, same: Mapping[Expression, Expression] = MappingProxyType({})
    ) -> Mapping[str, Strength]:
        """Return the strengths of some tests by id, as `reading.strengths` does."""
        return strengths(self.snapshot, tests, same=same, cache=self.cache)
