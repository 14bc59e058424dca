"""Judge what a change did to the tests: every test of a changed file on both sides, and every helper next to them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Final

from pactkeeper.intent.claims import Expression, Name
from pactkeeper.intent.strength.becoming import OF_LIBRARY
from pactkeeper.intent.strength.change import Change, Paired
from pactkeeper.intent.strength.facts import Strength
from pactkeeper.intent.strength.matching import Spelling
from pactkeeper.intent.strength.renamed import with_renamed
from pactkeeper.intent.strength.review import changes
from pactkeeper.intent.tests import Gap, Scan, Test, file_of
from pactkeeper.repo.delta import Delta, changed_paths, delta_between
from pactkeeper.repo.languages import owner
from pactkeeper.repo.snapshot import Snapshot
from pactkeeper.repo.strength.deletions import uncollected, with_packages, without_listed_at_calls, without_twins
from pactkeeper.repo.strength.needed import without_reason
from pactkeeper.repo.strength.product import (
    DECLARED,
    caller_names,
    gone_names,
    product_paths,
    spelling_of,
    touched_names,
)
from pactkeeper.repo.strength.reading import is_set, type_strength
from pactkeeper.repo.strength.setups import inherited_changes, setup_changes
from pactkeeper.repo.strength.shared import shared_changes
from pactkeeper.repo.strength.stored import compared_with, row_changes, same_text, stored_changes, unseen_rows
from pactkeeper.repo.strength.suites import suite_changes
from pactkeeper.repo.strength.support import (
    OF_SCRIPT,
    Beside,
    TestState,
    followed_functions,
    is_imported,
    is_support,
    omitted_tests,
    reached_tests,
    shared_files,
    support_changes,
    support_files,
    told_once,
)
from pactkeeper.repo.strength.switches import switch_changes
from pactkeeper.repo.strength.unread import unread_changes
from pactkeeper.repo.strength.workspaces import workspace_changes
from pactkeeper.repo.test_side import SCRIPTS, is_test_side, is_type_test

_LOST: Final = (
    "deleted",
    "removed",
    "hollow",
    "loosened",
    "conditional",
)  # losses that a change in the code under test may explain
_JEST: Final = re.compile(rb"\bjest\.\w")
_VI: Final = re.compile(rb"\bvi\.\w")
_ONLY_WORDS: Final = (b"only", b"fit(", b"fdescribe(")  # without one of them, there is no need to search
_ONLY: Final = re.compile(rb"\.only\b|\bf(?:it|describe)\(|\bonly:")


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a change did to the tests, in order of place; `tests` is how many were compared.

    `files` maps test ids to the files that contain the changes. `gaps` are where the later state could not be seen,
    first those in files that the change touched, and `blind` those of them that hide what became of such a file.
    """

    changes: tuple[Change, ...]
    tests: int
    files: Mapping[str, str]
    gaps: tuple[Gap, ...] = ()
    blind: tuple[Gap, ...] = ()


@dataclass(frozen=True, slots=True)
class _Differing:
    """The paths that differ between two states: those `changed`, those git `lacking` their content, and the `hidden`.

    Hidden are those outside of a sparse checkout. `sides` are the snapshots without these.
    """

    changed: frozenset[str]
    lacking: frozenset[str]
    hidden: frozenset[str]
    sides: tuple[Snapshot, Snapshot]

    @classmethod
    def between(cls, before: Snapshot, after: Snapshot) -> _Differing:
        """Compare two snapshots path by path."""
        changed = changed_paths(before, after)
        lacking = before.lacking(changed) | after.lacking(changed)
        hidden = changed.intersection(after.outside)
        sides = (before.without(after.outside), after.without(after.outside)) if after.outside else (before, after)
        return cls(changed - lacking - hidden, lacking, hidden, sides)


def judge(before: TestState, after: TestState) -> Judgement:
    """Compare two states; both scans must be complete."""
    delta = delta_between(before.snapshot, before.scan, after.snapshot, after.scan)
    differing = _Differing.between(before.snapshot, after.snapshot)
    changed, sides = differing.changed, differing.sides
    near = changed | before.scan.differing(after.scan)  # all other tests are as they were
    old, new = before.within(near), after.within(near)
    partners = _partners(delta, old.scan, new.scan)
    pairs = [*_pairs(old, new, delta, changed=changed, partners=partners), *_type_pairs(before, after, changed)]
    pairs = with_renamed(_with_overridden(pairs, old, new, partners))
    shared = shared_files(changed)
    support = support_files(before, after, shared)
    reached = reached_tests(before, after, shared, {name for one in pairs for name in (one.before, one.after)})
    product = _Product.of(before.snapshot, after.snapshot, changed)
    compared = product.changes(
        [*pairs, *(one for one in reached.pairs if one.old != one.new)], Beside(before, after, changed)
    )
    standing = without_listed_at_calls(without_twins(compared, old.scan, after.scan), before, after)
    told = [product.of_type(one) for one in standing]
    tested = frozenset(after.scan.by_file)
    moving = product.gone | product.touched
    found = [
        *told_once(
            uncollected(told, after, frozenset(delta.unseen)),
            support_changes(before, after, support, moving),
            reached,
            pairs,
        ),
        *_places(_left(old, new, partners), after, explained=bool(moving)),
        *omitted_tests(reached, shared),
        *_renamed(partners, before.snapshot, after.snapshot),
        *inherited_changes(before, after, changed, product.gone),
        *setup_changes(*sides, changed, tested),
        *workspace_changes(*sides, changed, (before.scan.by_file, tested)),
        *row_changes(*sides, changed, tested),
        *stored_changes(*sides, changed, after.scan.by_file),
        *compared_with(*sides, changed, after.scan.by_file),
        *switch_changes(*sides, changed),
        *suite_changes(before, after, changed),
    ]
    states = before.snapshot, after.snapshot
    found = [*_without_repeated(found)]
    decided = shared_changes(before.tested, after.tested, _beside_tests(changed, tested), product.spelling)
    found += _unseen_in(found, decided, states, support)
    found += [*unread_changes(before, after, changed, found)]
    found = list(with_packages([*without_reason(found, *states)], *states))
    return _judgement(found, (before, after), differing, delta, tests=len(pairs) + len(reached.pairs))


@dataclass(slots=True)
class _Product:
    """What a change did to the code under test: names `gone` and `touched`, and how definitions are spelled now."""

    sides: tuple[Snapshot, Snapshot]
    paths: list[str]
    gone: frozenset[str]
    touched: frozenset[str]
    spelling: Spelling

    @classmethod
    def of(cls, before: Snapshot, after: Snapshot, changed: frozenset[str]) -> _Product:
        """Read the changed files of the product."""
        paths = product_paths(changed)
        gone, (touched, about) = gone_names(before, after, paths), touched_names(before, after, paths)
        spelling = spelling_of(before, after, [path for path in changed if owner(path) is not None])
        spelling = replace(spelling, alike=same_text(before, after), about=spelling.about | about)
        return cls((before, after), paths, gone, touched, spelling)

    def changes(self, pairs: Sequence[Paired], beside: Beside) -> tuple[Change, ...]:
        """Compare tests; if something is lost, what calls the changed code counts as touched, too."""
        found = self._changes(pairs, beside)
        if any(one.kind in _LOST and one.severity == "error" for one in found):
            callers = caller_names(*self.sides, self.paths)
            self.touched |= callers
            self.spelling = replace(self.spelling, about=self.spelling.about | callers)
            found = self._changes(pairs, beside)
        return found

    def _changes(self, pairs: Sequence[Paired], beside: Beside) -> tuple[Change, ...]:
        return changes(pairs, gone=self.gone, touched=self.touched, spelling=self.spelling, beside=beside)

    def of_type(self, change: Change) -> Change:
        """Downgrade an error in a type test to a warning if declared types changed along with it."""
        typed = any(path.endswith(DECLARED) for path in self.paths)
        if not typed or change.severity != "error" or not is_type_test(file_of(change.before or change.test)):
            return change
        return replace(change, severity="warning", message=f"{change.message}; declared types changed along with it")


def _judgement(
    found: Sequence[Change], states: tuple[TestState, TestState], differing: _Differing, delta: Delta, *, tests: int
) -> Judgement:
    """Add lines and files to changes, and say what could not be seen."""
    before, after = states
    files = {one.test: _file_of(one.test, (before.snapshot, after.snapshot)) for one in found}
    lines = {test.id: test.name_line for path in {*files.values()} for test in after.tests_of(path)}
    placed = tuple(one if one.line else replace(one, line=lines.get(one.test, 0)) for one in found)
    rows = tuple(unseen_rows(before.snapshot, after.snapshot, differing.changed, frozenset(after.scan.by_file)))
    lost = tuple(Gap(path, "git does not have its content") for path in sorted(differing.lacking))
    near = differing.changed | differing.hidden
    blind = (gap for gap in delta.gaps if gap.file in near and (gap.broken or not gap.line))
    asserting = (gap for gap in lost if is_test_side(gap.file) or owner(gap.file) is not None)
    unseen = sorted((*delta.gaps, *rows, *lost), key=lambda gap: gap.file not in near)
    return Judgement(placed, tests, files, tuple(unseen), (*blind, *rows, *asserting))


def _beside_tests(changed: Iterable[str], tested: Collection[str]) -> list[str]:
    return [path for path in changed if owner(path) is not None and (path in tested or is_support(path))]


def _unseen_in(
    found: Sequence[Change], shared: Iterable[Change], sides: tuple[Snapshot, Snapshot], support: frozenset[str]
) -> Iterator[Change]:
    """Yield what was not reported of the same file in another way, and is not followed into the tests.

    What no test imports is a script if a setting names it, shown last, and else nothing of theirs.
    """
    named = {one.test.partition("::")[0] for one in found if one.severity != "note"}
    places = [(one, *one.test.partition("::")[::2]) for one in shared]
    unnamed = [(one, path, name) for one, path, name in places if path not in named]
    own = support.intersection(path for _, path, _ in unnamed)
    followed, alone = followed_functions(*sides, own), {path for path in own if not is_imported(sides[1], path)}
    left = [(one, path) for one, path, name in unnamed if f"{path}::{name.partition('.')[0]}" not in followed]
    yield from (one for one, path in left if path not in alone)
    scripts = {path for path in alone if is_set(sides[1], path)}
    yield from (replace(one, message=OF_SCRIPT) for one, path in left if path in scripts)


def _without_repeated(found: Sequence[Change]) -> Iterator[Change]:
    """Leave out what the text of a type test says again of a file in which an assertion is lost.

    Of what a changed import does to the assertions of a file, only the loudest finding is kept, with their number.
    """
    lost = {file_of(one.before or one.test) for one in found if one.kind in _LOST and one.severity != "note"}
    imported = sorted((one for one in found if one.message == OF_LIBRARY), key=attrgetter("severity"))
    loudest = {file_of(one.test): one for one in reversed(imported)}
    times = Counter(file_of(one.test) for one in imported)
    for one in found:
        path = file_of(one.test)
        if one is loudest.get(path):
            yield replace(one, message=f"{one.message}: {times[path]:,} in all")
        elif one.message != OF_LIBRARY and not (one.kind == "switched_off" and is_type_test(path) and path in lost):
            yield one


def _file_of(name: str, states: Sequence[Snapshot]) -> str:
    """Return the file in a test's id, or in a name such as `tests/a.py::helper` or `package.json scripts.test`."""
    path = file_of(name)
    while " " in path and not any(path in state for state in states):
        path = path.rpartition(" ")[0]
    return path


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
        from pactkeeper.repo.strength.switches.given import renamed_away  # noqa: PLC0415 - most changes don't need it

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

    A test that runs in as many places as before only runs under other names, and so it does in a class whose own tests
    moved to one that newly runs it.
    """
    steps = {old.rpartition("::")[0]: new.rpartition("::")[0] for old, new in partners.items() if old != new}
    later = {test.id: test for test in after.scan.tests}
    for test in before.scan.tests:
        new = later.get(partners.get(test.id, "")) if test.runs_in else None
        if new is not None and len(new.runs_in) < len(test.runs_in):
            fresh = {place for place in new.runs_in if place not in test.runs_in}
            gone = (place for place in test.runs_in if place not in new.runs_in and steps.get(place) not in fresh)
            yield from ((place, test, new) for place in gone)


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
        both = path.endswith(SCRIPTS) and path in before and path in after
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
    """Return all that a test says, to a compiler too, with the lines it begins and ends on: `if (wanted) test(…)`."""
    own = lines.get(test.file, ())[test.line - 1 : test.end_line]
    around = [line.strip() for at, line in enumerate(own) if at in {0, len(own) - 1} or b"@ts-" in line]
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
