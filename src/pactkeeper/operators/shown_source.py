"""The verb that shows the source of a test beside what is proposed about it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pactkeeper.intent.wording.outcomes import outcome_lines
from pactkeeper.repo.evidence import gather

if TYPE_CHECKING:
    from pactkeeper.intent.pact import Pact
    from pactkeeper.intent.tests import Test
    from pactkeeper.ledger.op import Op
    from pactkeeper.repo.snapshot import Snapshot
    from pactkeeper.workspace import Workspace


@dataclass(frozen=True, slots=True)
class TestSource:
    """The lines of a test, decorators included; `first` is the number of the first, from 1."""

    path: str
    first: int
    lines: tuple[str, ...]


@dataclass(slots=True)
class Sources:
    """Reads the sources of one snapshot when they are wanted, each file once."""

    snapshot: Snapshot
    tests: dict[str, Test]
    pact: Pact
    _files: dict[str, tuple[str, ...]] = field(default_factory=dict, repr=False)

    def of(self, test: str) -> TestSource | None:
        """The source of a test; None where the snapshot has no such test, because it is gone for instance."""
        found = self.tests.get(test)
        if found is None:
            return None
        return TestSource(found.file, found.line, self._lines(found.file)[found.line - 1 : found.end_line])

    def _lines(self, path: str) -> tuple[str, ...]:
        if path not in self._files:
            data = self.snapshot.read(path)
            text = "" if data is None else data.decode("utf-8", "replace")
            self._files[path] = tuple(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
        return self._files[path]


def read_sources(workspace: Workspace) -> Sources:
    """The tests of the working tree, with the pact that they are reviewed against."""
    snapshot = workspace.snapshot()
    pact = workspace.pact(snapshot)
    return Sources(snapshot, {one.id: one for one in workspace.scan(snapshot, pact).tests}, pact)


def lines_of_evidence(ops: Iterable[Op], path: str) -> frozenset[int]:
    """The lines of a file that the ops give as their evidence."""
    return frozenset(one.line for op in ops for one in op.evidence if one.path == path and one.line)


def asserted_at(sources: Sources, tests: Iterable[str]) -> Mapping[str, Mapping[str, tuple[int, ...]]]:
    """For each test that is there, its outcomes with the lines that assert them, counted from 1 in its file."""
    known = [sources.tests[name] for name in tests if name in sources.tests]
    found = gather(sources.snapshot, known)
    return {one.id: outcome_lines(found[one.id]) for one in known}
