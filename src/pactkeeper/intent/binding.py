"""The test behind each case of a report, and the verdict on each test.

A test that other classes inherit has cases in each of them; it passed if it passed in all.
A case that cannot be matched is left unbound with the reason, never guessed. A case is looked up by its exact name,
then as one case of a parametrised test, then among the titles that are built at run time. A line given by the report
chooses between tests of one name, and finds a test whose name is not in the source. Without a line, such a test is
found if its whole file was seen and no other test there can have the name. Without a file, a name must belong to one
test only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pactkeeper.intent.results import FAILING, Case, Outcome, ResultSet, TestResult, worst
from pactkeeper.intent.suffixes import (
    SEPARATORS,
    MadeTitle,
    Parts,
    Placed,
    Suffixes,
    first_word,
    labels,
    made,
    match_suffixes,
    place,
    squashed,
)
from pactkeeper.intent.tests import Test, homes, places_of
from pactkeeper.ledger.canonical import by_key


@dataclass(frozen=True, slots=True)
class TestIndex:
    """Tests by file, by file with suites and name, by title, and Python's by dotted name.

    Tests whose titles are built at run time are in `made_in` by file and in `made_with` by the first word of their
    titles.
    """

    __test__ = False

    by_file: Mapping[str, Sequence[Test]]
    by_parts: Mapping[tuple[str, Parts], Sequence[Test]]
    by_label: Mapping[str, Sequence[Test]]
    dotted: Mapping[Parts, Sequence[Test]]
    made_in: Mapping[str, Sequence[MadeTitle]]
    made_with: Mapping[str, Sequence[MadeTitle]]

    @staticmethod
    def of(tests: Iterable[Test]) -> TestIndex:
        """Index tests; titles are indexed for languages that name tests by strings."""
        found = tuple(tests)
        titled = [test for test in found if test.language != "python"]
        differing = [one for test in titled if (one := made(test)) is not None]
        placed = [(file, suite, test) for test in found for file, suite in places_of(test)]
        return TestIndex(
            by_key((test.file, test) for test in found),
            by_key(((file, squashed_parts((*suite, test.name))), test) for file, suite, test in placed),
            by_key((label, test) for test in titled for label in labels(test)),
            by_key(
                (_dotted(file, suite, test.name), test) for file, suite, test in placed if test.language == "python"
            ),
            by_key((one.test.file, one) for one in differing),
            by_key((word, one) for one in differing for word in {label.first_word for label in one.labels}),
        )


def squashed_parts(names: Iterable[str]) -> Parts:
    """Return names in a form that can be compared across formats."""
    return tuple(squashed(name) for name in names)


def _dotted(file: str, suite: Parts, name: str) -> Parts:
    """Return module, classes and function as separated in `tests.unit.test_a.TestX.test_y`."""
    module = file.rpartition(".")[0].replace("/", ".").split(".")
    return (*module, *suite, name)


_CLASS_AND_NAME: Final = 2


@dataclass(frozen=True, slots=True)
class Bound:
    """The tests of a case: one; several of one name, which the report can't distinguish; or none, for a reason."""

    tests: tuple[str, ...]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Files:
    """What report paths can refer to: all files of the repository, and its absolute path on this machine.

    `unseen` files may contain tests that were not listed.
    """

    paths: Sequence[str]
    root: str
    unseen: frozenset[str] = frozenset()


def bind(cases: Sequence[Case], tests: Iterable[Test], files: Files) -> tuple[Bound, ...]:
    """Find the test of every case of one report, in the order of the cases."""
    index = TestIndex.of(tests)
    placed = place((case.file for case in cases if case.file), files.paths, root=files.root)
    dotted = match_suffixes({_dotted_case(case) for case in cases if case.joined}, index.dotted, least=_CLASS_AND_NAME)
    said = frozenset(text for case in cases for text in (_texts(case, None) if case.joined else [_key(case.names)]))
    search = _Search(index, placed, dotted, said, files.unseen)
    return tuple(search.bound(case) for case in cases)


@dataclass(frozen=True, slots=True)
class _Search:
    """What is known of all cases of a report together; `said` are all names in it."""

    index: TestIndex
    placed: Placed
    dotted: Suffixes
    said: frozenset[str]
    unseen: frozenset[str]

    def bound(self, case: Case) -> Bound:
        """Find one case's test; Vitest gives the file of a type test as its first suite."""
        found = self._bound(case)
        if found.tests or case.joined or len(case.names) < _CLASS_AND_NAME or not _opens_with_file(case):
            return found
        return self._bound(replace(case, names=case.names[1:]))

    def _bound(self, case: Case) -> Bound:
        """Find one case's test; a classname that looks like a file may be a suite after all."""
        file = self.placed.files.get(case.file)
        if not case.names:
            return Bound((), "it stands for a whole file, not a test")
        if file is None and case.file and not case.joined:
            return Bound((), self._lost(case.file))
        looks = (file, None) if file is not None and case.joined and case.file == case.names[0] else (file,)
        for candidates in (found for look in looks for found in self._readings(case, look)):
            if candidates:
                return _chosen(candidates, case)
        if file is not None and file not in self.index.by_file:
            return Bound((), f"no test was found in {file}")
        return Bound((), "no test has this name")

    def _lost(self, path: str) -> str:
        if path in self.placed.ambiguous:
            return "its file matches several in the repository"
        return "its file is not in the repository"

    def _readings(self, case: Case, file: str | None) -> Iterator[Sequence[Test]]:
        """Yield the candidate tests for the case, from the most certain reading to the least."""
        if case.joined:
            yield self._within(self.index.dotted.get(self.dotted.found.get(_dotted_case(case), ()), ()), file)
            for text in _texts(case, file):
                yield self._within(self.index.by_label.get(text, ()), file)
        elif file is not None:
            yield self.index.by_parts.get((file, squashed_parts(case.names)), ())
            bare = self.index.by_parts.get((file, (*case.names[:-1], _base(case.names[-1]))), ())
            yield [test for test in bare if test.language == "python"]
        fitting = self._fitting(case, file)
        yield [one.test for one in fitting if one.telling]
        if file is not None and case.line:
            yield [test for test in self.index.by_file.get(file, ()) if _declared_at(test, case)]
        if file is not None and file not in self.unseen:
            yield [one.test for one in fitting if not one.telling and not self._is_said(one.test)]

    def _within(self, tests: Sequence[Test], file: str | None) -> Sequence[Test]:
        if file is None:
            return tests
        return [test for test in tests if file in homes(test)]

    def _fitting(self, case: Case, file: str | None) -> list[MadeTitle]:
        """Return tests whose titles are built at run time and can match this case."""
        texts = _texts(case, file) if case.joined else []
        if file is not None:
            return [one for one in self.index.made_in.get(file, ()) if _fits(one, case, texts)]
        words = {first_word(text) for text in texts} | {""}
        known = [one for word in words for one in self.index.made_with.get(word, ()) if _fits(one, case, texts)]
        return list({id(one): one for one in known}.values())

    def _is_said(self, test: Test) -> bool:
        """Whether the report has the test's name as in the source, so that it is a title and not an expression."""
        return _key((*test.suite, test.name)) in self.said or not self.said.isdisjoint(labels(test))


def _opens_with_file(case: Case) -> bool:
    return f"/{case.file}".endswith(f"/{case.names[0]}")


def _declared_at(test: Test, case: Case) -> bool:
    """Whether the case's line is where the test is declared, and the names are compatible."""
    if not test.line <= case.line <= test.name_line:
        return False
    if test.language == "python":  # a class that inherits the test has another name than the declaring class
        return test.name == _base(case.names[-1])
    return test.dynamic or test.cases != 1


def _key(names: Iterable[str]) -> str:
    """Join separate names into one key."""
    return "\0".join(squashed_parts(names))


def _fits(one: MadeTitle, case: Case, texts: Sequence[str]) -> bool:
    if not case.joined:
        return one.fits(squashed_parts(case.names))
    return any(label.fits(text) for label in one.labels for text in texts)


def _texts(case: Case, file: str | None) -> list[str]:
    """Return the titles that a joined case can mean, the fullest first; a repetitive classname adds nothing."""
    names = squashed_parts(case.names)
    full = [squashed(sign.join(names)) for sign in SEPARATORS]
    if len(names) < _CLASS_AND_NAME:
        return full[:1]
    classname, name = names
    repeats = name.endswith(classname) or classname == squashed(case.file) or (file or "").endswith(classname)
    return [*full, name] if repeats else full


def _dotted_case(case: Case) -> Parts:
    """Split a joined case into the parts of a dotted Python name."""
    *modules, name = case.names or ("",)
    return (*(part for module in modules for part in module.split(".")), _base(name))


def _base(name: str) -> str:
    """The name of a Python test without its parameter set."""
    return name.partition("[")[0]


def _chosen(candidates: Sequence[Test], case: Case) -> Bound:
    if len(candidates) > 1 and case.line:
        there = [test for test in candidates if test.line <= case.line <= test.end_line]
        candidates = there if len(there) == 1 else candidates
    if len(candidates) == 1 or len({(test.file, test.suite, test.name) for test in candidates}) == 1:
        return Bound(tuple(test.id for test in candidates))
    some = ", ".join(test.id for test in candidates[:3])
    return Bound((), f"{len(candidates)} tests can have this name: {some}{', …' if len(candidates) > 3 else ''}")  # noqa: PLR2004 - as many as were named


@dataclass(frozen=True, slots=True)
class TestVerdict:
    """One test's result: the worst outcome of its cases, their number, and the message of a failing one."""

    __test__ = False

    test: str
    outcome: Outcome
    cases: int
    milliseconds: int
    message: str = ""


@dataclass(frozen=True, slots=True)
class Unmatched:
    """A case of a report that matches no known test, and why."""

    source: str
    case: str
    outcome: Outcome | None
    reason: str
    message: str = ""


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Verdicts by test id, sorted, and unmatched cases in the order of the reports, failures first."""

    verdicts: Mapping[str, TestVerdict]
    unmatched: tuple[Unmatched, ...]


def outcomes_of(reports: Iterable[ResultSet], tests: Sequence[Test], files: Files) -> Outcomes:
    """Combine all reports of one run; a test that several of them name gets the worst of its outcomes."""
    found: dict[str, list[TestResult]] = {}
    unmatched: list[Unmatched] = []
    for report in reports:
        bound = bind([result.case for result in report.results], tests, files)
        undecided = _undecided(report.results, bound)
        strangers = _failed_strangers(report.results, bound)
        by_id = {test.id: test for test in tests} if strangers else {}
        for result, one in zip(report.results, bound, strict=True):
            reason = undecided.get(one.tests, one.reason) or _doubt(result, one, by_id, strangers)
            if reason:
                unmatched.append(Unmatched(report.source, str(result.case), result.outcome, reason, result.message))
            for test in () if reason else one.tests:
                found.setdefault(test, []).append(result)
        unmatched += [Unmatched(report.source, str(one.case), None, one.reason) for one in report.unclear]
    verdicts = {test: _verdict(test, results) for test, results in sorted(found.items())}
    return Outcomes(verdicts, tuple(sorted(unmatched, key=lambda one: one.outcome not in {"failed", "error"})))


def _failed_strangers(results: Sequence[TestResult], bound: Sequence[Bound]) -> frozenset[str]:
    """Return the names of failed cases that belong to no test, without their parameter sets."""
    pairs = zip(results, bound, strict=True)
    lost = (result.case.names for result, one in pairs if not one.tests and result.outcome in FAILING)
    return frozenset(_base(names[-1]) for names in lost if names)


def _doubt(result: TestResult, one: Bound, by_id: Mapping[str, Test], strangers: frozenset[str]) -> str:
    """Return why a pass of a Python method is not counted: its name failed in a class that may have inherited it."""
    if result.outcome != "passed" or not strangers:
        return ""
    methods = [test for name in one.tests if (test := by_id[name]).language == "python" and test.suite]
    if any(test.name in strangers for test in methods):
        return "a test of this name failed in a class that is not known, which may have inherited it"
    return ""


def _undecided(results: Sequence[TestResult], bound: Sequence[Bound]) -> Mapping[tuple[str, ...], str]:
    """Return tests with the same name that a report can't distinguish, if its cases differ or are too few for all."""
    pairs = zip(results, bound, strict=True)
    shared = by_key((one.tests, result.outcome) for result, one in pairs if len(one.tests) > 1)
    return {
        tests: f"{len(tests)} tests have this name, and the report does not say which"
        for tests, outcomes in shared.items()
        if len(set(outcomes)) > 1 or len(outcomes) < len(tests)
    }


def _verdict(test: str, results: Sequence[TestResult]) -> TestVerdict:
    outcome = worst(result.outcome for result in results)
    message = next((result.message for result in results if result.outcome == outcome), "")
    spent = sum(result.milliseconds or 0 for result in results)
    return TestVerdict(test, outcome, len(results), spent, message)
