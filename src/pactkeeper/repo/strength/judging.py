"""Judge what a change did to the tests: every test of a changed file on both sides, and every helper next to them."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice
from typing import Final

from pactkeeper.intent.claims import Expression, Name
from pactkeeper.intent.strength.change import Change, Paired
from pactkeeper.intent.strength.facts import Fact, Strength, implies
from pactkeeper.intent.strength.replaced import leaf
from pactkeeper.intent.strength.review import changes
from pactkeeper.intent.tests import Gap, Scan, Test, file_of
from pactkeeper.repo.delta import Delta, delta_between
from pactkeeper.repo.languages import owner
from pactkeeper.repo.snapshot import Snapshot
from pactkeeper.repo.strength.inherited import inherited_changes
from pactkeeper.repo.strength.product import (
    DECLARED,
    caller_names,
    gone_names,
    product_paths,
    spelling_of,
    touched_names,
)
from pactkeeper.repo.strength.reading import type_strength
from pactkeeper.repo.strength.rows import row_changes, unseen_rows
from pactkeeper.repo.strength.setups import setup_changes
from pactkeeper.repo.strength.shared import shared_changes
from pactkeeper.repo.strength.stored import compared_with, same_text, stored_changes
from pactkeeper.repo.strength.support import (
    TestState,
    followed_functions,
    is_support,
    omitted_tests,
    reached_tests,
    shared_files,
    support_changes,
    support_files,
    told_once,
)
from pactkeeper.repo.strength.switches import switch_changes
from pactkeeper.repo.test_side import is_test_side, is_type_test

_MOST_FILES: Final = 20  # read to find a fixture that deleted tests used, or what a new fixture does to its tests
_SCRIPTS: Final = (".js", ".ts", ".tsx", ".jsx", ".mjs", ".cjs", ".mts", ".cts")
_MANIFESTS: Final = ("package.json", "pyproject.toml", "setup.py")
_SETTING: Final = re.compile(
    r"\.(?:ya?ml|toml|ini|cfg|sh|mk)$|(?:^|/)(?:Makefile|Jenkinsfile|(?:package|lerna|rush|nx)\.json|(?:nox|tox)\w*\.py)$"
)
_LOST: Final = ("deleted", "removed", "hollow")  # losses that a change in the code under test may explain
_JEST: Final = re.compile(rb"\bjest\.\w")
_VI: Final = re.compile(rb"\bvi\.\w")
_ASSERTS: Final = re.compile(rb"\b(?:assert|expect)[^\n]++")
_CALLED: Final = re.compile(rb"(?<![\w$])([A-Za-z_$][\w$]++)\(")
_WORD: Final = re.compile(rb"[A-Za-z_$][\w$]++")
_ONLY_WORDS: Final = (b"only", b"fit(", b"fdescribe(")  # without one of them, there is no need to search
_ONLY: Final = re.compile(rb"\.only\b|\bf(?:it|describe)\(|\bonly:")


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a change did to the tests, in order of place; `tests` is how many were compared.

    `files` maps test ids to the files that contain the changes. `gaps` are where the later state could not be seen, and
    `blind` those of them in files that the change touched.
    """

    changes: tuple[Change, ...]
    tests: int
    files: Mapping[str, str]
    gaps: tuple[Gap, ...] = ()
    blind: tuple[Gap, ...] = ()


@dataclass(slots=True)
class _Beside:
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


def judge(before: TestState, after: TestState) -> Judgement:
    """Compare two states; both scans must be complete."""
    delta = delta_between(before.snapshot, before.scan, after.snapshot, after.scan)
    changed = changed_paths(before.snapshot, after.snapshot)
    lacking = before.snapshot.lacking(changed) | after.snapshot.lacking(changed)
    outside = after.snapshot.outside
    hidden = changed.intersection(outside)
    changed -= lacking | hidden
    sides = (before.snapshot, after.snapshot)
    sides = (sides[0].without(outside), sides[1].without(outside)) if outside else sides
    near = changed | before.scan.differing(after.scan)  # all other tests are as they were
    old, new = before.within(near), after.within(near)
    partners = _partners(delta, old.scan, new.scan)
    pairs = [
        *_pairs(old, new, delta, changed=changed, partners=partners),
        *_type_pairs(before, after, changed),
    ]
    pairs = _with_overridden(pairs, old, new, partners)
    product = product_paths(changed)
    gone, touched = (names(before.snapshot, after.snapshot, product) for names in (gone_names, touched_names))
    shared = shared_files(changed)
    support = support_files(before, after, shared)
    reached = reached_tests(before, after, shared, {name for one in pairs for name in (one.before, one.after)})
    compared_pairs = [*pairs, *(one for one in reached.pairs if one.old != one.new)]
    beside = _Beside(before, after, changed)
    spelling = spelling_of(before.snapshot, after.snapshot, [path for path in changed if owner(path) is not None])
    spelling = replace(spelling, alike=same_text(before.snapshot, after.snapshot))
    compared = changes(compared_pairs, gone=gone, touched=touched, spelling=spelling, beside=beside)
    if any(one.kind in _LOST and one.severity == "error" for one in compared):
        touched |= caller_names(before.snapshot, after.snapshot, product)
        compared = changes(compared_pairs, gone=gone, touched=touched, spelling=spelling, beside=beside)
    typed = any(path.endswith(DECLARED) for path in product)
    told = [_of_type(one) if typed else one for one in _without_twins(compared, old.scan, after.scan)]
    tested = frozenset(after.scan.by_file)
    found = [
        *told_once(
            _uncollected(told, after, frozenset(delta.unseen)),
            support_changes(before, after, support, gone | touched),
            reached,
            pairs,
        ),
        *_places(_left(old, new, partners), after, explained=bool(gone | touched)),
        *omitted_tests(reached, shared),
        *_renamed(partners, before.snapshot, after.snapshot),
        *inherited_changes(before, after, changed, gone),
        *setup_changes(*sides, changed, tested),
        *row_changes(*sides, changed, tested),
        *stored_changes(*sides, changed, after.scan.by_file),
        *compared_with(*sides, changed, after.scan.by_file),
        *switch_changes(*sides, changed),
    ]
    decided = shared_changes(before.tested, after.tested, _beside_tests(changed, tested), spelling)
    found += _unseen_in(found, decided, (before.snapshot, after.snapshot), support)
    found = list(_with_packages(found, before.snapshot, after.snapshot))
    files = {one.test: _file_of(one.test, (before.snapshot, after.snapshot)) for one in found}
    lines = {test.id: test.name_line for path in {*files.values()} for test in after.tests_of(path)}
    found = [one if one.line else replace(one, line=lines.get(one.test, 0)) for one in found]
    rows = tuple(unseen_rows(before.snapshot, after.snapshot, changed, tested))
    lost = tuple(Gap(path, "git does not have its content") for path in sorted(lacking))
    asserting = tuple(gap for gap in lost if is_test_side(gap.file) or owner(gap.file) is not None)
    return Judgement(
        tuple(found),
        len(pairs) + len(reached.pairs),
        files,
        (*delta.gaps, *rows, *lost),
        (
            *(gap for gap in delta.gaps if gap.file in changed | hidden and (gap.broken or not gap.line)),
            *rows,
            *asserting,
        ),
    )


def _beside_tests(changed: Iterable[str], tested: Collection[str]) -> list[str]:
    return [path for path in changed if owner(path) is not None and (path in tested or is_support(path))]


def _unseen_in(
    found: Sequence[Change], shared: Iterable[Change], sides: tuple[Snapshot, Snapshot], support: frozenset[str]
) -> Iterator[Change]:
    """Yield what was not reported of the same file in another way, and is not followed into the tests."""
    named = {one.test.partition("::")[0] for one in found if one.severity != "note"}
    places = [(one, *one.test.partition("::")[::2]) for one in shared]
    unnamed = [(one, path, name) for one, path, name in places if path not in named]
    followed = followed_functions(*sides, support.intersection(path for _, path, _ in unnamed))
    yield from (one for one, path, name in unnamed if f"{path}::{name.partition('.')[0]}" not in followed)


def _file_of(name: str, states: Sequence[Snapshot]) -> str:
    """Return the file in a test's id, or in a name such as `tests/a.py::helper` or `package.json scripts.test`."""
    path = file_of(name)
    while " " in path and not any(path in state for state in states):
        path = path.rpartition(" ")[0]
    return path


def _of_type(change: Change) -> Change:
    """Downgrade an error in a type test to a warning: declared types changed along with it."""
    if change.severity != "error" or not is_type_test((change.before or change.test).partition("::")[0]):
        return change
    return replace(change, severity="warning", message=f"{change.message}; declared types changed along with it")


def changed_paths(before: Snapshot, after: Snapshot) -> frozenset[str]:
    """Return the paths whose content differs or that only one side has."""
    paths = {*before.paths, *after.paths}
    return frozenset(path for path in paths if _identity(before, path) != _identity(after, path))


def _identity(snapshot: Snapshot, path: str) -> str:
    """Return what to compare a file by; one outside a sparse checkout is still what the index says."""
    return snapshot.outside.get(path) or (snapshot.identity(path) if path in snapshot else "")


def _partners(delta: Delta, before: Scan, after: Scan) -> Mapping[str, str]:
    """Map the id before to the id after for every test that is on both sides."""
    later = {test.id for test in after.tests}
    steps = dict((*delta.moved, *delta.renamed))
    return {test.id: steps.get(test.id, test.id) for test in before.tests if test.id in steps or test.id in later}


def _renamed(partners: Mapping[str, str], before: Snapshot, after: Snapshot) -> Iterator[Change]:
    """Yield files of tests whose new name unittest does not discover, if no command runs them in another way."""
    pairs = ((old.partition("::")[0], new.partition("::")[0]) for old, new in partners.items() if old != new)
    moved = {old: new for old, new in pairs if old != new and not new.rpartition("/")[2].startswith("test")}
    if moved:
        from pactkeeper.repo.strength.switches.unittests import renamed_away  # noqa: PLC0415 - most changes don't need it

        yield from renamed_away(moved, before, after)


def _pairs(
    before: TestState, after: TestState, delta: Delta, *, changed: frozenset[str], partners: Mapping[str, str]
) -> list[Paired]:
    still = _untouched(before, after, changed, partners)
    skipped = {*still, *(partners[name] for name in still)}
    moved = {new for _, new in (*delta.moved, *delta.renamed)}
    old = [test for test in before.scan.tests if test.id not in skipped and _concerns(test, partners, changed)]
    new = [test for test in after.scan.tests if test.id not in skipped and (test.file in changed or test.id in moved)]
    fakes = _one_fake(before.snapshot, after.snapshot, changed)
    olds, news = before.strengths(old, same=fakes), after.strengths(new, same=fakes)
    found = [
        Paired(test.id, partners.get(test.id, ""), olds[test.id], _new(partners.get(test.id), news)) for test in old
    ]
    paired = {one.after for one in found}
    found += [Paired("", test.id, None, news[test.id]) for test in new if test.id not in paired]
    return [one for one in found if not (one.after and one.new is None)]


def _left(before: TestState, after: TestState, partners: Mapping[str, str]) -> Iterator[tuple[str, Test, Test]]:
    """Yield each class or module that no longer runs a test of another one, with the test on both sides.

    A test that runs in as many places as before only runs under other names.
    """
    later = {test.id: test for test in after.scan.tests}
    for test in before.scan.tests:
        new = later.get(partners.get(test.id, "")) if test.runs_in else None
        if new is not None and len(new.runs_in) < len(test.runs_in):
            yield from ((place, test, new) for place in test.runs_in if place not in new.runs_in)


def _with_overridden(
    pairs: list[Paired], before: TestState, after: TestState, partners: Mapping[str, str]
) -> list[Paired]:
    """Pair new tests that override an inherited one with that one."""
    inherited = {f"{place}::{test.name}": test for place, test, _ in _left(before, after, partners)}
    fresh = {one.after for one in pairs if one.old is None and one.after in inherited}
    olds = before.strengths({inherited[name].id: inherited[name] for name in fresh}.values())
    return [
        replace(one, before=inherited[one.after].id, old=olds[inherited[one.after].id]) if one.after in fresh else one
        for one in pairs
    ]


def _places(left: Iterable[tuple[str, Test, Test]], after: TestState, *, explained: bool) -> Iterator[Change]:
    """Report classes and modules that no longer run tests they inherit or import, and don't override them."""
    blind = {gap.file for gap in after.scan.gaps if gap.broken or not gap.line}
    lost: defaultdict[str, list[str]] = defaultdict(list)
    for place, test, _ in left:
        if all(one.id != f"{place}::{test.name}" for one in after.tests_of(file_of(place))):
            lost[place].append(test.name)
    for place, names in lost.items():
        sure = not explained and place.partition("::")[0] not in blind
        message = "it no longer runs tests that it inherits or imports"
        yield Change("deleted", place, message, ", ".join(names), "", 0, "error" if sure else "warning", place)


def _type_pairs(before: TestState, after: TestState, changed: Iterable[str]) -> Iterator[Paired]:
    """Pair what changed type-test files state outside of tests."""
    for path in sorted(filter(is_type_test, changed)):
        old, new = (type_strength(side.snapshot, path, side.tests_of(path)) for side in (before, after))
        name = f"{path}::types"
        yield Paired(name if old else "", name if new else "", old, new)


def _one_fake(before: Snapshot, after: Snapshot, changed: Iterable[str]) -> Mapping[Expression, Expression]:
    """Return the name under which both states know the fake factory, if a test file moves from Jest to Vitest."""
    for path in changed:
        both = path.endswith(_SCRIPTS) and path in before and path in after
        one, two = ((side.read(path) or b"") if both else b"" for side in (before, after))
        if _JEST.search(one) and _VI.search(two) and not _JEST.search(two):
            return {Name("vi"): Name("jest")}
    return {}


def _untouched(
    before: TestState, after: TestState, changed: frozenset[str], partners: Mapping[str, str]
) -> frozenset[str]:
    """Return the tests of changed files whose text is unchanged, where nothing outside of tests changed either."""
    later = {test.id: test for test in after.scan.tests}
    around = (path for path in changed if _around(before, path) == _around(after, path) != b"")
    files = {path for path in around if _marks_others(before, path) == _marks_others(after, path)}
    old, new = (_lines(side, files) for side in (before, after))
    return frozenset(
        test.id
        for test in before.scan.tests
        if test.file in files and partners.get(test.id) == test.id and _says(test, old) == _says(later[test.id], new)
    )


def _marks_others(side: TestState, path: str) -> bool:
    """Whether a mark on one test keeps the others of its file from running."""
    source = side.snapshot.read(path) or b""
    return any(word in source for word in _ONLY_WORDS) and _ONLY.search(source) is not None


def _lines(side: TestState, files: Iterable[str]) -> Mapping[str, Sequence[bytes]]:
    return {path: (side.snapshot.read(path) or b"").splitlines() for path in files}


def _says(test: Test, lines: Mapping[str, Sequence[bytes]]) -> tuple[object, ...]:
    """Return all that a test says, with the lines it begins and ends on: `if (wanted) test(…)`."""
    edges = [lines.get(test.file, ())[at - 1 : at] for at in (test.line, test.end_line)]
    around = [line.strip() for edge in edges for line in edge]
    return test.body_hash, test.helpers, test.cases, test.suite, *around


def _around(side: TestState, path: str) -> bytes:
    """Return a file's text outside of its tests, without blank lines; empty if it has no tests or can't be read."""
    tests = side.tests_of(path)
    source = side.snapshot.read(path) if tests and path in side.snapshot else None
    lines = (source or b"").splitlines()
    for test in tests:
        lines[test.line - 1 : test.end_line] = [b""] * (test.end_line - test.line + 1)
    return b"\n".join(line for line in lines if line.strip())


def _new(name: str | None, news: Mapping[str, Strength]) -> Strength | None:
    return news.get(name) if name else None


def _concerns(test: Test, partners: Mapping[str, str], changed: frozenset[str]) -> bool:
    return test.file in changed or partners.get(test.id) != test.id


def _without_twins(found: Sequence[Change], before: Scan, after: Scan) -> list[Change]:
    """Drop deletions of tests that still exist elsewhere unchanged."""
    if all(one.kind != "deleted" for one in found):
        return list(found)
    standing = {(test.name, test.body_hash, test.helpers) for test in after.tests}
    twins = {test.id for test in before.tests if (test.name, test.body_hash, test.helpers) in standing}
    return [one for one in found if not (one.kind == "deleted" and one.before in twins)]


def _uncollected(found: Sequence[Change], after: TestState, unseen: frozenset[str]) -> Iterator[Change]:
    """Reword deletions of tests whose code still exists: nothing collects it any more, or it can't be read."""
    blind = {gap.file: gap.reason for gap in after.scan.gaps if gap.broken or not gap.line}
    broken = {gap.file: gap.reason for gap in after.scan.gaps if gap.broken}
    for change in found:
        path = change.before.partition("::")[0]
        if change.kind == "deleted" and change.before in unseen and path in blind:
            yield replace(change, severity="warning", message=f"it cannot be seen any more: {blind[path]}")
        elif change.kind != "deleted" and change.severity == "error" and path in broken:
            yield replace(change, kind="unread", severity="warning", message=f"it cannot be read: {broken[path]}")
        elif change.kind == "deleted" and leaf(change.before) in _suites(path, after):
            yield replace(change, severity="warning", message="the test is a suite of other tests now")
        elif change.kind == "deleted" and change.severity == "error" and _is_in_text(change, after):
            yield replace(change, severity="warning", message="the test is gone; its code stands in a text now")
        elif change.kind == "deleted" and change.severity == "error" and _still_written(change, after):
            yield replace(change, message="its code is still there, but nothing collects it as a test any more")
        else:
            yield change


def _with_packages(found: Iterable[Change], before: Snapshot, after: Snapshot) -> Iterator[Change]:
    """Downgrade errors in a package that was deleted whole, if nothing outside of it ever named it."""
    known: dict[str, bool] = {}
    for change in found:
        package = _package(change.test or change.before, before) if change.severity == "error" else ""
        if package and package not in known:
            known[package] = not any(path.startswith(package) for path in after.paths) and _is_alone(package, before)
        alone = package != "" and known[package] and change.kind in {"deleted", "switched_off"}
        message = f"{change.message}; so is all of {package}, which nothing else names"
        yield replace(change, message=message, severity="warning") if alone else change


def _package(name: str, snapshot: Snapshot) -> str:
    """Return the folder of the package that a test or setting belongs to, with a slash; empty for the root project."""
    folder = re.split(r"::| ", name, maxsplit=1)[0].rpartition("/")[0]
    while folder and not any(f"{folder}/{one}" in snapshot for one in _MANIFESTS):
        folder = folder.rpartition("/")[0]
    return f"{folder}/" if folder else ""


def _is_alone(package: str, snapshot: Snapshot) -> bool:
    """Whether no settings, scripts or CI outside of a package name it, or everything next to it."""
    parts = package.strip("/").split("/")
    above = ["/".join(parts[:end]) for end in range(1, len(parts) + 1)]
    asked = re.compile("|".join(re.escape(one) + (r"(?!/[\w-])" if one != above[-1] else "") for one in above).encode())
    outside = [path for path in snapshot.paths if _SETTING.search(path) and not path.startswith(package)]
    return not any(asked.search(snapshot.read(path) or b"") for path in outside)


def _still_written(change: Change, after: TestState) -> bool:
    """Whether the name occurs in the file more often than tests of that name are collected there."""
    path, name = change.before.partition("::")[0], leaf(change.before)
    source = (after.snapshot.read(path) if path in after.snapshot else None) or b""
    written = re.findall(rb"(?<![\w$])" + re.escape(name.encode()) + rb"(?![\w$])", source) if name else []
    return len(written) > sum(test.name == name for test in after.tests_of(path))


def _suites(path: str, after: TestState) -> frozenset[str]:
    return frozenset(name for test in after.tests_of(path) for name in test.suite)


def _is_in_text(change: Change, after: TestState) -> bool:
    """Whether the test's code is now in a string that another function passes to a call: a program it writes and runs.

    A string on its own is a test that somebody commented out.
    """
    path, name = change.before.partition("::")[0], leaf(change.before)
    source = after.snapshot.read(path) if path in after.snapshot and path.endswith(".py") else None
    written = re.compile(rf"\bdef {re.escape(name)}\(")
    return any(written.search(text) is not None for text in _texts_passed(source or b""))


@lru_cache(maxsize=32)
def _texts_passed(source: bytes) -> tuple[str, ...]:
    """Return the strings with a function in them that functions of a Python file pass to calls."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    functions = [part for part in ast.walk(tree) if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef)]
    calls = [part for one in functions for part in ast.walk(one) if isinstance(part, ast.Call)]
    parts = (part.value for call in calls for part in ast.walk(call) if isinstance(part, ast.Constant))
    return tuple(value for value in parts if isinstance(value, str) and "def " in value)
