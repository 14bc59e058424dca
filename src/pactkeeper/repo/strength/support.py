"""What changed helpers, fixtures and their values did to the tests that reach them, whether edited or not.

Also one state of the code with its tests, whose strengths are read on demand, and what the files of both states say
about tests that are not compared.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from types import MappingProxyType
from typing import Final

from pactkeeper.intent.claims import Expression, Operation
from pactkeeper.intent.strength.becoming import SOMETHING_ELSE
from pactkeeper.intent.strength.change import Change, Paired, Severity
from pactkeeper.intent.strength.facts import Fact, Strength, implies
from pactkeeper.intent.strength.program import AFTER_YIELD, ANSWER, by_name
from pactkeeper.intent.strength.review import changes, fewer_rows
from pactkeeper.intent.strength.terms import parts_in
from pactkeeper.intent.tests import Scan, Test
from pactkeeper.repo.cache import Cache
from pactkeeper.repo.languages import owner
from pactkeeper.repo.snapshot import Snapshot
from pactkeeper.repo.strength.product import other_module, product_paths
from pactkeeper.repo.strength.reading import imports, mentions_of, resting_on, strengths, support_strengths
from pactkeeper.repo.test_side import SCRIPTS, is_test_side, is_type_test

_OF_TESTS: Final = re.compile(r"(?:^|/)(?:test_[^/]*|[^/]*_test)\.py\Z|[._-](?:test|spec)s?\.[cm]?[jt]sx?\Z")
_MOST_TESTS: Final = 300  # that are compared because of what they rest on
OF_SCRIPT: Final = "a script beside the tests decides something else now"
_LOUDNESS: Final[tuple[Severity, ...]] = ("note", "warning", "error")


@dataclass(frozen=True, slots=True)
class Reached:
    """The tests that rest on changed support files, paired with themselves; `omitted` is how many were not read."""

    pairs: tuple[Paired, ...] = ()
    omitted: int = 0


def shared_files(changed: Iterable[str]) -> frozenset[str]:
    """Return the changed test-side files of code that other tests may rest on: those not named as a test file."""
    return frozenset(path for path in changed if is_support(path) and _OF_TESTS.search(path) is None)


def support_files(before: TestState, after: TestState, shared: Iterable[str]) -> frozenset[str]:
    """Return the shared files that have no tests of their own."""
    return frozenset(shared).difference(before.scan.by_file, after.scan.by_file)


def is_support(path: str) -> bool:
    """Whether a file of code is among tests: a product may well have a module called `fixtures`."""
    folder, _, name = path.rpartition("/")
    among = is_test_side(path) and (not folder or is_test_side(folder) or name == "conftest.py")
    return among and owner(path) is not None and not is_type_test(path)


def reached_tests(before: TestState, after: TestState, support: Collection[str], known: Collection[str]) -> Reached:
    """Compare the tests that may reach changed support files, but for those already `known` by id.

    Those that name what changed come first, then the nearest ones.
    """
    if not support:
        return Reached()
    languages = {owner(path) for path in support}
    files = {path for path in after.scan.by_file if owner(path) in languages}
    near = sorted(resting_on(after.snapshot, support, files), key=lambda path: (_distance(path, support), path))
    many = sum(len(after.tests_of(path)) for path in near) > _MOST_TESTS
    resting = _naming_first(near, before.snapshot, after.snapshot, support) if many else near
    earlier: dict[str, Test] = {}
    listed: list[Test] = []
    omitted = 0
    for path in resting:
        if len(listed) < _MOST_TESTS:
            earlier |= {test.id: test for test in before.tests_of(path)}
            listed += [test for test in after.tests_of(path) if test.id in earlier and test.id not in known]
            omitted = len(listed[_MOST_TESTS:])
        else:
            omitted += len(after.tests_of(path))
    chosen = listed[:_MOST_TESTS]
    olds, news = before.strengths(earlier[test.id] for test in chosen), after.strengths(chosen)
    pairs = tuple(Paired(test.id, test.id, olds[test.id], news[test.id]) for test in chosen)
    return Reached(pairs, omitted)


def _naming_first(paths: Sequence[str], before: Snapshot, after: Snapshot, support: Iterable[str]) -> list[str]:
    """Sort test files by how many words of the changed lines they have; a word counts less, the more files have it."""
    sides = ([side.read(path) or b"" if path in side else b"" for path in sorted(support)] for side in (before, after))
    old, new = ({line for text in texts for line in text.splitlines()} for texts in sides)
    changed = {word for line in old ^ new for word in _WORD.findall(line)}
    words = {path: changed.intersection(_WORD.findall(after.read(path) or b"")) for path in paths}
    having = Counter(word for found in words.values() for word in found)
    return sorted(paths, key=lambda path: -sum(1 / having[word] for word in words[path]))


def _distance(path: str, support: Iterable[str]) -> int:
    """Return how many folders lie between a file and the nearest of others."""
    folder = posixpath.dirname(path) or "."
    ways = (posixpath.relpath(folder, posixpath.dirname(one) or ".") for one in support)
    return min(0 if way == "." else way.count("/") + 1 for way in ways)


def is_imported(snapshot: Snapshot, path: str) -> bool:
    """Whether a file of the test side names another one in the way that an import does, or it is a conftest.py."""
    sides = [one for one in snapshot.paths if one != path and is_test_side(one) and owner(one) is not None]
    names = imports if path.endswith(SCRIPTS) else mentions_of
    return any(names(one, text or b"", path) for one, text in snapshot.read_many(sides))


def support_changes(
    before: TestState, after: TestState, support: Iterable[str], touched: frozenset[str]
) -> Iterator[Change]:
    """Compare helpers and fixtures as if each were a test."""
    for path in sorted(support):
        if path in before.snapshot and path in after.snapshot:
            yield from _helpers(path, before.snapshot, after.snapshot, touched)


def followed_functions(before: Snapshot, after: Snapshot, support: Iterable[str]) -> frozenset[str]:
    """Return the functions of support files, as `path::name`, whose assertions are read without gaps and compared."""
    found: set[str] = set()
    for path in support:
        if path in before and path in after:
            old, new = support_strengths(before, path), support_strengths(after, path)
            whole = (name for name in old if name in new and _is_whole(old[name]) and _is_whole(new[name]))
            found.update(f"{path}::{name.removesuffix(ANSWER)}" for name in whole)
    return frozenset(found)


def _is_whole(strength: Strength) -> bool:
    return bool(strength.facts) and not strength.unread


def _helpers(path: str, before: Snapshot, after: Snapshot, touched: frozenset[str]) -> Iterator[Change]:
    old, new = support_strengths(before, path), support_strengths(after, path)
    shared = {
        name: (f"{path}::{name}", old[name], new[name]) for name in old if name in new and _is_own(name, old, new)
    }
    for name, one, two in shared.values():
        if two.rows < one.rows:
            yield fewer_rows(Paired(name, name, one, two), one, two)
    pairs = [Paired(name, name, one, replace(two, rows=one.rows)) for name, one, two in shared.values()]
    asserting = [pair for pair in pairs if pair.old is not None and (pair.old.facts or pair.old.acts)]
    skipping = [pair for pair in pairs if pair not in asserting and pair.new is not None and pair.new.skips]
    for change in changes([*asserting, *skipping], touched=touched):
        if change.test.endswith(ANSWER) and change.severity != "note":
            yield replace(
                change,
                kind="loosened",
                message="what it answers to tests is decided in another way",
                severity="warning",
            )
        elif not (change.kind == "hollow" and not _asserts(asserting, change)):
            yield change


def _is_own(name: str, old: Mapping[str, Strength], new: Mapping[str, Strength]) -> bool:
    """Whether what a fixture does after its `yield` has to be compared: what it does in all is as it was."""
    whole = name.removesuffix(AFTER_YIELD)
    return whole == name or old[whole].facts == new[whole].facts


def _asserts(pairs: Sequence[Paired], change: Change) -> bool:
    return any(pair.after == change.test and pair.old is not None and pair.old.facts for pair in pairs)


def told_once(
    of_tests: Iterable[Change], of_support: Iterable[Change], reached: Reached, pairs: Iterable[Paired]
) -> Iterator[Change]:
    """Yield what happened to tests and to what they rest on, each loss in one place.

    A helper's own loss stands if a test that runs it, one of the `pairs`, lost something, too, or if none runs it; it
    then stands for those tests that weren't edited. Of these, notes are left out.
    """
    unedited = {pair.after: pair for pair in reached.pairs}
    own = [_of_unedited(one, unedited[one.test]) if one.test in unedited else one for one in of_tests]
    users = _users([*pairs, *reached.pairs])
    lost = {one.test for one in own if one.severity != "note"}
    stood_for: defaultdict[str, Severity] = defaultdict(lambda: "note")
    for change in of_support:
        using = users.get(change.test.rpartition("::")[2].rpartition(".")[2], set())
        if reached.omitted or not using or not using.isdisjoint(lost):
            yield change
            for test in using:
                stood_for[test] = max(stood_for[test], change.severity, key=_LOUDNESS.index)
    for change in dict.fromkeys(own):
        if change.test not in unedited or _is_louder(change.severity, stood_for[change.test]):
            yield change


def _of_unedited(change: Change, pair: Paired) -> Change:
    """Return a change as one of a test whose own text is as it was: its set-up may be written in another way."""
    if change.kind == "grown" or (change.kind == "subject" and change.message == SOMETHING_ELSE):
        return replace(change, severity="note")
    if pair.old is None or pair.new is None or _rows_unread(pair.old) or not _rows_unread(pair.new):
        return change
    message = "its rows are computed now, so fewer of them would go unnoticed"
    return Change("unread", change.test, message, severity="warning", before=change.before)


def _rows_unread(strength: Strength) -> bool:
    parts = parts_in(*(fact.claim for fact in strength.facts))
    return any(isinstance(part, Operation) and part.operator == "row" for part in parts)


def _is_louder(one: Severity, other: Severity) -> bool:
    return _LOUDNESS.index(one) > _LOUDNESS.index(other)


def _users(pairs: Iterable[Paired]) -> Mapping[str, set[str]]:
    """Map the names of helpers and fixtures to the tests in which they asserted something, or which they skip."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for pair in pairs:
        for fact in pair.old.facts if pair.old is not None else ():
            for name in {fact.via, fact.fixture} - {""}:
                found[name].add(pair.after or pair.before)
        for skip in pair.new.skips if pair.new is not None else ():
            found[by_name(skip.origin)].add(pair.after)
    return found


def omitted_tests(reached: Reached, support: Iterable[str]) -> Iterator[Change]:
    """Yield a warning if not every test that rests on changed support files was compared."""
    if reached.omitted:
        path = min(support)
        message = f"{reached.omitted:,} more tests may rest on what changed here; they were not compared"
        yield Change("unread", path, message, severity="warning", before=path)


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


_MOST_FILES: Final = 20  # read to find a fixture that deleted tests used
_ASSERTS: Final = re.compile(rb"\b(?:assert|expect)[^\n]++")
_CALLED: Final = re.compile(rb"(?<![\w$])([A-Za-z_$][\w$]++)\(")
_WORD: Final = re.compile(rb"[A-Za-z_$][\w$]++")
_ENTRY: Final = re.compile(r"^\.$|(?:(?:^|/)index)?(?:\.[cm]?[jt]sx?)?$")  # what a path says besides its package


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

    def stores(self, test: str) -> bool:
        """Whether the change writes the snapshots that Jest or Vitest keeps beside a test's file."""
        folder, _, name = test.partition("::")[0].rpartition("/")
        return f"{folder}/__snapshots__/{name}.snap" in self.changed

    def moves(self, source: str, test: str) -> bool:
        """Whether the change is to product code beside the module that a test imports from, or within that package."""
        path, module = test.partition("::")[0], source.rpartition(".")[0]
        if path.endswith(SCRIPTS):
            if not module.startswith("."):
                return False
            place = posixpath.normpath(posixpath.join(posixpath.dirname(path), module))
        else:
            place = module.replace(".", "/")
        place = _ENTRY.sub("", place)
        within, beside = f"/{place}/".replace("//", "/"), posixpath.dirname(f"/{place}")
        paths = [f"/{one.rpartition('.')[0]}" for one in product_paths(self.changed)]
        near = (one for one in paths if beside != "/" and posixpath.dirname(one).endswith(beside))
        return any(near) or any(within in f"{one}/" for one in paths)

    def lends(self, source: str, test: str) -> bool:
        """Whether test files of JavaScript that did not change rest on the file that a test imports as `source`."""
        place = posixpath.normpath(posixpath.join(posixpath.dirname(test.partition("::")[0]), source))
        found = [one for end in SCRIPTS if (one := place.removesuffix(end) + end) in self.before.snapshot]
        others = self.state.scan.by_file.keys() - self.changed
        return source.startswith(".") and bool(found) and bool(resting_on(self.state.snapshot, found, others))

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
