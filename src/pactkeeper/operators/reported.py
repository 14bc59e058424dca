"""What named reports say about the tests of a snapshot: read, placed and bound in one step."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pactkeeper.intent.binding import Files, bind
from pactkeeper.intent.outcomes import Outcomes, outcomes_of
from pactkeeper.intent.results import Case, ResultSet
from pactkeeper.intent.tests import Scan
from pactkeeper.operators.reports import path_of, read_all
from pactkeeper.repo.reports import Report, read_results
from pactkeeper.repo.uncommitted import uncommitted

if TYPE_CHECKING:
    from pactkeeper.repo.snapshot import Snapshot
    from pactkeeper.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Reported:
    """The reports with their bytes, and what all of them together say."""

    reports: tuple[tuple[Report, ResultSet], ...]
    outcomes: Outcomes


def reported(workspace: Workspace, snapshot: Snapshot, scan: Scan, names: Sequence[str]) -> Reported:
    """Read the reports of one run and find the tests that their cases are; raises as `read_all` does."""
    reports = read_all(workspace, names, read_results) if names else ()
    files = _files(workspace, snapshot, scan)
    return Reported(reports, outcomes_of((found for _, found in reports), scan.tests, files))


@dataclass(frozen=True, slots=True)
class CaseOf:
    """The test that a case of a run is, with its atoms, sorted; the test is empty where it is unclear, and why."""

    case: Case
    test: str = ""
    atoms: tuple[str, ...] = ()
    reason: str = ""


def place_cases(workspace: Workspace, cases: Sequence[Case]) -> tuple[CaseOf, ...]:
    """Find the test that each case is, with the atoms that the work tree links it to."""
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
    """The same for every case of these reports, in their order; raises ReportError with the problems of all of them."""
    results = (one for _, found in read_all(workspace, names, read_results) for one in found.results)
    return place_cases(workspace, [one.case for one in results])


def _files(workspace: Workspace, snapshot: Snapshot, scan: Scan) -> Files:
    return Files(snapshot.paths, str(workspace.repository.root), frozenset(gap.file for gap in scan.gaps))


def changed_paths(workspace: Workspace, apart: Collection[str]) -> tuple[str, ...]:
    """Paths in which the work tree differs from HEAD, except the files named, as reports are."""
    root = workspace.repository.root.resolve()
    known = {path_of(workspace, name).resolve() for name in apart}
    return tuple(path for path in uncommitted(workspace.repository) if root / path not in known)
