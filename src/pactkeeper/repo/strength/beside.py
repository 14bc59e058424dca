"""What the files of both states say about tests that are not compared, read only where it decides something."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from pactkeeper.intent.strength.change import Severity
from pactkeeper.intent.strength.facts import Fact, Strength, implies
from pactkeeper.repo.strength.product import other_module
from pactkeeper.repo.strength.support import TestState

_MOST_FILES: Final = 20  # read to find a fixture that deleted tests used
_ASSERTS: Final = re.compile(rb"\b(?:assert|expect)[^\n]++")
_CALLED: Final = re.compile(rb"(?<![\w$])([A-Za-z_$][\w$]++)\(")
_WORD: Final = re.compile(rb"[A-Za-z_$][\w$]++")


@dataclass(slots=True)
class Beside:
    """What fixtures assert for a state's tests, read file by file until found, nearest first."""

    before: TestState
    state: TestState
    changed: frozenset[str]
    facts: set[tuple[str, Fact]] = field(default_factory=set)
    files: Iterator[str] | None = None
    read: dict[str, tuple[Strength, ...]] = field(default_factory=dict)

    def asserts(self, fact: Fact) -> bool:
        """Whether a fixture makes this assertion for any test that still runs."""
        if self.files is None:
            self.files = islice(self._files(), _MOST_FILES)
        while (fact.fixture, fact) not in self.facts:
            path = next(self.files, None)
            if path is None:
                return False
            running = (strength for strength in self._strengths(path) if strength.runs)
            self.facts |= {(one.fixture, one) for strength in running for one in strength.facts}
        return True

    def words_of(self, test: str) -> frozenset[str]:
        """Return the words of an earlier test, or of its whole file if the later state no longer has that file."""
        path = test.partition("::")[0]
        found = next((one for one in self.before.tests_of(path) if one.id == test), None)
        lines = (self.before.snapshot.read(path) or b"").splitlines() if found is not None else []
        if found is not None and path in self.state.snapshot:
            lines = lines[found.line - 1 : found.end_line]
        return frozenset(word.decode() for word in _WORD.findall(b"\n".join(lines)))

    def stands(self, path: str) -> bool:
        """Whether the later state has a file."""
        return path in self.state.snapshot

    def asks(self, name: str) -> bool:
        """Whether a line of a test file asserts of what a function of this name returns."""
        sources = (self.state.snapshot.read(path) or b"" for path in self.state.scan.by_file)
        lines = (line for source in sources if name.encode() in source for line in _ASSERTS.findall(source))
        return any(name.encode() in _CALLED.findall(line) for line in lines)

    def stands_in(self, name: str, old: tuple[str, str], new: tuple[str, str]) -> Severity | None:
        """Return how bad it is that a name comes from another module: an error from one that the change adds."""
        places = ((test.partition("::")[0], source) for test, source in (old, new))
        other = other_module(self.state.snapshot, name, *places)
        return None if not other else "warning" if other in self.before.snapshot else "error"

    def repeats(self, test: str, old: Strength) -> bool:
        """Whether a test that still runs in the same file does and asserts everything the deleted one did."""
        if old.unread:
            return False
        acts = set(old.acts)
        running = (one for one in self._strengths(test.partition("::")[0]) if one.runs)
        return any(acts <= set(one.acts) and _asserts_all(one, old) for one in running)

    def _strengths(self, path: str) -> tuple[Strength, ...]:
        if path not in self.read:
            self.read[path] = tuple(self.state.strengths(self.state.tests_of(path)).values())
        return self.read[path]

    def _files(self) -> Iterator[str]:
        folders = {path.rpartition("/")[0] for path in self.changed}
        yield from sorted(self.state.scan.by_file, key=lambda path: (path.rpartition("/")[0] not in folders, path))


def _asserts_all(one: Strength, old: Strength) -> bool:
    facts = set(one.facts)
    return all(fact in facts or any(implies(other, fact) for other in one.facts) for fact in old.facts)
