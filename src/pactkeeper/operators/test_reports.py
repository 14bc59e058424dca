"""Verbs that summarise reports; nothing is stored.

Also reads what reports say about a snapshot's tests: parsed, located and matched in one step.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from pactkeeper.errors import Problem, ReportError, UsageError
from pactkeeper.intent.binding import Files, Outcomes, bind, outcomes_of
from pactkeeper.intent.coverage import percent
from pactkeeper.intent.results import FAILING, Case, Outcome, ResultSet
from pactkeeper.intent.tests import Scan
from pactkeeper.repo.git import uncommitted
from pactkeeper.repo.reports import Report, read_coverage, read_quality, read_results
from pactkeeper.repo.reports.reading import MOST_PROBLEMS, load
from pactkeeper.repo.reports.sarif import LEVELS, Flaw

if TYPE_CHECKING:
    from pactkeeper.repo.snapshot import Snapshot
    from pactkeeper.workspace import Workspace


MOST_NAMED: Final = 20
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class CaseSaid:
    """One notable case: its name, its outcome (None if unclear), and the first words about it."""

    case: str
    outcome: Outcome | None
    message: str


@dataclass(frozen=True, slots=True)
class ResultsSummary:
    """Summary of a test report: cases by outcome, time in milliseconds, and the first failed or unclear cases.

    `hidden` counts further such cases.
    """

    source: str
    form: str
    counts: Mapping[str, int]
    milliseconds: int
    unclear: int
    named: tuple[CaseSaid, ...]
    hidden: int


@dataclass(frozen=True, slots=True)
class FileSaid:
    """The coverage of one file."""

    path: str
    hit: int
    lines: int
    percent: str


@dataclass(frozen=True, slots=True)
class CoverageSummary:
    """Summary of a coverage report: covered lines of all lines, and the files with the most uncovered ones.

    `functions` counts functions and `ran` covered ones, if the format has them; `tests` counts the tests that it
    distinguishes.
    """

    source: str
    form: str
    files: int
    hit: int
    lines: int
    percent: str
    functions: int
    ran: int
    tests: int
    least: tuple[FileSaid, ...]


@dataclass(frozen=True, slots=True)
class QualitySummary:
    """Summary of what linters and checkers found: counts by level and by rule (most first), and the worst flaws.

    Suppressed flaws are counted separately and otherwise ignored; `hidden` counts flaws that are not listed.
    """

    source: str
    form: str
    tools: tuple[str, ...]
    levels: Mapping[str, int]
    rules: Mapping[str, int]
    suppressed: int
    named: tuple[Flaw, ...]
    hidden: int


def read_test_results(workspace: Workspace, names: Sequence[str]) -> tuple[ResultsSummary, ...]:
    """Summarise test reports in any known format; raises ReportError with the problems of all of them."""
    return tuple(_results(found) for _, found in read_all(workspace, names, read_results))


def read_coverage_report(workspace: Workspace, names: Sequence[str]) -> tuple[CoverageSummary, ...]:
    """Summarise coverage reports in any known format; raises ReportError with the problems of all of them."""
    found = []
    for _, one in read_all(workspace, names, read_coverage):
        hit, lines = one.totals
        functions = [function for file in one.files.values() for function in file.functions]
        ran = sum(function.ran for function in functions)
        ranked = sorted(one.files.items(), key=lambda item: (item[1].hit - item[1].total, item[0]))
        least = [FileSaid(path, file.hit, file.total, percent(file.hit, file.total)) for path, file in ranked]
        short = tuple(said for said in least[:MOST_NAMED] if said.hit < said.lines)
        sums = (hit, lines, percent(hit, lines), len(functions), ran, len(one.by_test))
        found.append(CoverageSummary(one.source, one.form, len(one.files), *sums, short))
    return tuple(found)


def read_quality_report(workspace: Workspace, names: Sequence[str]) -> tuple[QualitySummary, ...]:
    """Summarise SARIF reports of linters and checkers; raises ReportError with the problems of all of them."""
    found = []
    for _, one in read_all(workspace, names, read_quality):
        shown = sorted((flaw for flaw in one.flaws if not flaw.suppressed), key=lambda flaw: LEVELS.index(flaw.level))
        counts = Counter(flaw.level for flaw in shown)
        levels: dict[str, int] = {level: counts[level] for level in LEVELS}
        rules = dict(Counter(flaw.rule for flaw in shown).most_common())
        hidden = max(len(shown) - MOST_NAMED, 0)
        suppressed = len(one.flaws) - len(shown)
        named = tuple(shown[:MOST_NAMED])
        found.append(QualitySummary(one.source, one.form, one.tools, levels, rules, suppressed, named, hidden))
    return tuple(found)


def read_all(
    workspace: Workspace, names: Sequence[str], read: Callable[[Report], Value]
) -> tuple[tuple[Report, Value], ...]:
    """Read every named report, relative to the current folder; the problems of all of them are raised together."""
    if not names:
        raise UsageError("no report given; name the file that the test run wrote, for example junit.xml")
    found: list[tuple[Report, Value]] = []
    problems: list[Problem] = []
    count = 0
    for name in dict.fromkeys(names):
        report = load(path_of(workspace, name), name)
        try:
            found.append((report, read(report)))
        except ReportError as error:
            problems += error.problems
            count += error.count
    if problems:
        raise ReportError(tuple(problems[:MOST_PROBLEMS]), count)
    return tuple(found)


def path_of(workspace: Workspace, name: str) -> Path:
    """Resolve a file name relative to the current folder."""
    return workspace.repository.root / workspace.folder / name


def _results(found: ResultSet) -> ResultsSummary:
    bad = [one for one in found.results if one.outcome in FAILING]
    named = [CaseSaid(str(one.case), one.outcome, one.message) for one in bad]
    named += [CaseSaid(str(one.case), None, one.reason) for one in found.unclear]
    spent = sum(one.milliseconds or 0 for one in found.results)
    return ResultsSummary(
        found.source,
        found.form,
        found.counts,
        spent,
        len(found.unclear),
        tuple(named[:MOST_NAMED]),
        max(len(named) - MOST_NAMED, 0),
    )


@dataclass(frozen=True, slots=True)
class Reported:
    """The reports with their bytes, and their combined outcomes."""

    reports: tuple[tuple[Report, ResultSet], ...]
    outcomes: Outcomes


def reported(workspace: Workspace, snapshot: Snapshot, scan: Scan, names: Sequence[str]) -> Reported:
    """Read the reports of one run and match their cases to tests; raises what `read_all` raises."""
    reports = read_all(workspace, names, read_results) if names else ()
    files = _files(workspace, snapshot, scan)
    return Reported(reports, outcomes_of((found for _, found in reports), scan.tests, files))


def written(workspace: Workspace, names: Sequence[str], found: Reported) -> datetime:
    """Return when the oldest of the reports came to be: its run began, if it says so, or its file was written."""
    files = [modified_at(path_of(workspace, name)) for name in names]
    return min([*files, *(one.began for _, one in found.reports if one.began is not None)])


def modified_at(path: Path) -> datetime:
    """Return when a file was last written, to the microsecond."""
    return datetime.fromtimestamp(path.stat().st_mtime, UTC)


def committed_at(workspace: Workspace, commit: str) -> datetime:
    """Return the time of a commit."""
    return datetime.fromisoformat(workspace.repository.run("log", "-1", "--format=%cI", commit).decode().strip())


def refuse_older(workspace: Workspace, commit: str, names: Sequence[str], found: Reported) -> None:
    """Raise UsageError if a report is older than the commit, which it therefore did not run."""
    if names and written(workspace, names, found) < committed_at(workspace, commit):
        raise UsageError(
            f"{', '.join(names)} is older than commit {commit[:12]}, so its tests ran other code; run them again"
        )


@dataclass(frozen=True, slots=True)
class CaseOf:
    """A case with its test and that test's atoms, sorted; without a test, `reason` says why."""

    case: Case
    test: str = ""
    atoms: tuple[str, ...] = ()
    reason: str = ""


def place_cases(workspace: Workspace, cases: Sequence[Case]) -> tuple[CaseOf, ...]:
    """Match each case to its test, with the atoms linked to it in the work tree."""
    snapshot = workspace.snapshot()
    world = workspace.world(snapshot)
    found = bind(cases, world.scan.tests, _files(workspace, snapshot, world.scan))
    placed = []
    for case, one in zip(cases, found, strict=True):
        if len(one.tests) == 1:
            links = world.by_id[one.tests[0]].links
            placed.append(CaseOf(case, one.tests[0], tuple(sorted({link.atom for link in links}))))
        else:
            placed.append(CaseOf(case, reason=one.reason or f"{len(one.tests)} tests have this name"))
    return tuple(placed)


def reported_cases(workspace: Workspace, names: Sequence[str]) -> tuple[CaseOf, ...]:
    """Do the same for every case of these reports, in order; raises ReportError with the problems of all of them."""
    results = (one for _, found in read_all(workspace, names, read_results) for one in found.results)
    return place_cases(workspace, [one.case for one in results])


def _files(workspace: Workspace, snapshot: Snapshot, scan: Scan) -> Files:
    return Files(snapshot.paths, str(workspace.repository.root), frozenset(gap.file for gap in scan.gaps))


def changed_paths(workspace: Workspace, apart: Collection[str]) -> tuple[str, ...]:
    """Return the paths in which the work tree differs from HEAD, except the named files, such as reports."""
    root = os.path.realpath(workspace.repository.root)
    known = {os.path.realpath(path_of(workspace, name)) for name in apart}
    return tuple(path for path in uncommitted(workspace.repository) if f"{root}/{path}" not in known)
