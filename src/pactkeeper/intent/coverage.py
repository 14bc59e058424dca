"""Coverage reports in one shape: which lines of which files ran, and by which tests if that is known.

Also code that ran in no test, and code that ran only in tests without intent, as far as the reports show.

A report that does not name a file says nothing about it, so such a file is listed separately and never counted as
uncovered.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pactkeeper.intent.binding import Files, bind
from pactkeeper.intent.links import LIVE_LINKS, LinkedTest
from pactkeeper.intent.results import Case
from pactkeeper.intent.suffixes import place

Span = tuple[int, int]  # first and last line, counted from 1, both included
Spans = tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class FunctionCoverage:
    """One function of a file: its first and last line (0 if unknown), and whether any of it ran."""

    name: str
    line: int
    end: int
    ran: bool


@dataclass(frozen=True, slots=True)
class FileCoverage:
    """The executable lines of one file, of which `hit` of `total` ran; a summary has these counts but no spans."""

    covered: Spans
    missing: Spans
    total: int
    hit: int
    functions: tuple[FunctionCoverage, ...] = ()


@dataclass(frozen=True, slots=True)
class TestLines:
    """The lines that one test ran, by path."""

    __test__ = False  # keeps pytest from collecting this class in modules that import it

    case: Case
    files: Mapping[str, Spans]


@dataclass(frozen=True, slots=True)
class Coverage:
    """One report: its file's name and format, the files by path as the report writes them, and what each test ran.

    `by_test` is empty if the report does not distinguish tests.
    """

    source: str
    form: str
    files: Mapping[str, FileCoverage]
    by_test: tuple[TestLines, ...] = ()

    @property
    def totals(self) -> tuple[int, int]:
        """Lines that ran and executable lines, over all files."""
        return sum(one.hit for one in self.files.values()), sum(one.total for one in self.files.values())


def spans(lines: Iterable[int]) -> Spans:
    """Sort lines and merge consecutive ones into spans."""
    found: list[Span] = []
    for line in sorted(set(lines)):
        if found and found[-1][1] == line - 1:
            found[-1] = (found[-1][0], line)
        else:
            found.append((line, line))
    return tuple(found)


def detailed(hits: Mapping[int, int], functions: Iterable[FunctionCoverage] = ()) -> FileCoverage:
    """A file's coverage from how often each line ran."""
    covered = [line for line, count in hits.items() if count > 0]
    missing = [line for line, count in hits.items() if count <= 0]
    ordered = tuple(sorted(functions, key=lambda one: (one.line, one.name)))
    return FileCoverage(spans(covered), spans(missing), len(hits), len(covered), ordered)


def percent(hit: int, total: int) -> str:
    """Format a share with one decimal, rounded down so that only full coverage is 100; `-` if there is nothing."""
    tenths = hit * 1000 // total if total else 0
    return f"{tenths // 10}.{tenths % 10}" if total else "-"


@dataclass(frozen=True, slots=True, order=True)
class CodePlace:
    """A whole file (`name` empty, `line` 0), or one function of it; `end` is 0 if unknown."""

    path: str
    line: int = 0
    name: str = ""
    end: int = 0


@dataclass(frozen=True, slots=True)
class Uncovered:
    """What coverage shows about source files, every part sorted.

    `files` and `functions` ran in no test; functions of such files are not listed again. `unintended` functions ran
    only in tests without a live link, which is known if a report distinguishes tests. `unplaced` are report paths that
    match no file, or several.
    """

    files: tuple[CodePlace, ...]
    functions: tuple[CodePlace, ...]
    unintended: tuple[CodePlace, ...]
    unplaced: tuple[str, ...]


def uncovered(
    reports: Iterable[Coverage], sources: Collection[str], linked: Sequence[LinkedTest], files: Files
) -> Uncovered:
    """Merge reports: a line that ran in any of them ran. `sources` are the files of interest, `linked` all tests."""
    gathered = _Gathered()
    for report in reports:
        gathered.add(report, linked, files)
    merged = {path: _merged(found) for path, found in gathered.found.items() if path in sources}
    dead = {path for path, (file, _) in merged.items() if file.total and not file.hit}
    live = {path: functions for path, (_, functions) in merged.items() if path not in dead}
    return Uncovered(
        tuple(CodePlace(path) for path in sorted(dead)),
        tuple(sorted(_named(path, one) for path, found in live.items() for one in found if not one.ran)),
        tuple(sorted(_unintended(live, gathered.touches))),
        tuple(sorted(gathered.unplaced)),
    )


@dataclass(slots=True)
class _Gathered:
    """The combined content of several reports, by file of the repository."""

    found: dict[str, list[FileCoverage]] = field(default_factory=dict)
    touches: dict[str, list[tuple[Spans, bool]]] = field(default_factory=dict)
    unplaced: set[str] = field(default_factory=set)

    def add(self, report: Coverage, linked: Sequence[LinkedTest], files: Files) -> None:
        paths = {**dict.fromkeys(report.files), **{path: None for one in report.by_test for path in one.files}}
        placed = place(paths, files.paths, root=files.root)
        self.unplaced.update((*placed.ambiguous, *placed.unknown))
        for path, file in report.files.items():
            if path in placed.files:
                self.found.setdefault(placed.files[path], []).append(file)
        intended = {entry.test.id for entry in linked if entry.atoms(LIVE_LINKS)}
        bound = bind([one.case for one in report.by_test], [entry.test for entry in linked], files)
        for run, one in zip(report.by_test, bound, strict=True):
            has_intent = not one.tests or not intended.isdisjoint(one.tests)
            for path, lines in run.files.items():
                if path in placed.files:
                    self.touches.setdefault(placed.files[path], []).append((lines, has_intent))


def _merged(found: Sequence[FileCoverage]) -> tuple[FileCoverage, tuple[FunctionCoverage, ...]]:
    """Return the report that covers most of a file, and every function with whether it ran in any."""
    functions: dict[tuple[str, int], FunctionCoverage] = {}
    for file in found:
        for one in file.functions:
            known = functions.get((one.name, one.line))
            if known is None or (one.ran and not known.ran):
                functions[one.name, one.line] = one
    return max(found, key=lambda file: file.hit), tuple(functions.values())


def _named(path: str, one: FunctionCoverage) -> CodePlace:
    return CodePlace(path, one.line, one.name, one.end)


def _unintended(
    live: Mapping[str, Iterable[FunctionCoverage]], touches: Mapping[str, Sequence[tuple[Spans, bool]]]
) -> Iterator[CodePlace]:
    for path, functions in live.items():
        for one in functions:
            if not one.ran or not one.end:
                continue
            # The first line of a function runs when the module is loaded, which shows no intent.
            first = min(one.line + 1, one.end)
            by = [intent for lines, intent in touches.get(path, ()) if _meet(lines, first, one.end)]
            if by and not any(by):
                yield _named(path, one)


def _meet(lines: Spans, first: int, last: int) -> bool:
    return any(start <= last and end >= first for start, end in lines)
