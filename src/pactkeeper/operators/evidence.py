"""Verbs about evidence: import reports into the history, and show what is known of each test."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from pactkeeper.errors import ReportError, UsageError, some_of
from pactkeeper.health.absence import JUDGED
from pactkeeper.health.concluding import case_of
from pactkeeper.intent.binding import Files, TestVerdict, Unmatched, bind, outcomes_of
from pactkeeper.intent.evidence_state import AtomEvidence, TestEvidenceState, TestOutcomeRow, blob_of_files
from pactkeeper.intent.health import CheckResult
from pactkeeper.intent.links import LinkedTest
from pactkeeper.intent.results import OUTCOMES, ResultSet, TestResult
from pactkeeper.intent.tests import Test, homes
from pactkeeper.ledger.canonical import counted
from pactkeeper.operators.named import named_tests
from pactkeeper.operators.proof import Attested, Ran, judged, latest_attested, ran_at
from pactkeeper.operators.test_reports import (
    Reported,
    changed_paths,
    committed_at,
    modified_at,
    refuse_older,
    reported,
    written,
)
from pactkeeper.repo.languages import owner
from pactkeeper.repo.reports import Report, read_results

if TYPE_CHECKING:
    from pactkeeper.reconcile.world import World
    from pactkeeper.repo.snapshot import Snapshot
    from pactkeeper.workspace import Workspace

EDITED_SINCE: Final = "its file is newer than the report"
MOST_SOURCES: Final = 3
SWEPT: Final = "pk health sweep"  # the source of outcomes that a sweep saw
FIXED: Final = "pk fixes complete"  # likewise, the checks of a completed fix


@dataclass(frozen=True, slots=True)
class Imported:
    """What was stored: for which commit (empty if the work tree differs from HEAD), and tests by outcome.

    `stored` excludes skipped tests, which prove nothing; `silent` counts the tests that no report mentions. `undated`
    are reports that name no time of their run while nobody named its commit: only their files' age ties them to it.
    """

    commit: str
    counts: Mapping[str, int]
    cases: int
    stored: int
    silent: int
    unmatched: tuple[Unmatched, ...]
    undated: tuple[str, ...] = ()


def import_evidence(workspace: Workspace, names: Sequence[str], *, commit: str | None = None) -> Imported:
    """Store what reports say about the tests of the work tree, or of the commit they were written at.

    Without a commit the outcomes belong to HEAD if the work tree equals it, and to no commit otherwise. A test whose
    file is newer than the report is left out, because it may have changed; where other code or the commit is, raise
    UsageError.
    """
    if not names:
        raise UsageError("no report given; name the file that the test run wrote, for example junit.xml")
    snapshot = workspace.snapshot(commit)
    scan = workspace.scan(snapshot, workspace.pact(snapshot))
    tests = {test.id: test for test in scan.tests}
    found = reported(workspace, snapshot, scan, names)
    changed = () if commit is not None else changed_paths(workspace, names)
    if snapshot.commit is not None:
        refuse_older(workspace, snapshot.commit, names, found)
        edited = frozenset[str]()
    else:
        edited = _newer(workspace, snapshot, written(workspace, names, found))
    _refuse_other_code(edited - scan.by_file.keys(), snapshot)
    verdicts = found.outcomes.verdicts
    changed_later = {one.id for one in scan.tests if not edited.isdisjoint(homes(one))}
    timely = [one for one in verdicts.values() if one.test not in changed_later]
    commit_of = snapshot.commit or ("" if changed else workspace.repository.head() or "")
    told = _Told(commit_of, some_of(names, MOST_SOURCES), tests)
    stored = _store(workspace, snapshot, told, timely)
    late = [
        Unmatched(told.source, one.test, one.outcome, EDITED_SINCE, one.message)
        for one in verdicts.values()
        if one.test in changed_later
    ]
    unmatched = (*found.outcomes.unmatched, *late)
    counts: Mapping[str, int] = counted((one.outcome for one in timely), OUTCOMES)
    undated = tuple(one.source for _, one in found.reports if one.began is None and commit is None)
    return Imported(told.commit, counts, _cases(found), stored, len(tests) - len(verdicts), unmatched, undated)


def store_checked(
    workspace: Workspace, commit: str, results: Sequence[CheckResult], *, apart: Iterable[str], source: str
) -> None:
    """Store what checks say about each test of their commit, as an import of their reports would.

    Without a report, a check says only what failed. Failures whose fingerprints are in `apart` are not the commit's.
    """
    found = [_said(one) for one in results if one.verdict in JUDGED]
    if not any(one.results for one in found):
        return
    snapshot = workspace.snapshot(commit)
    scan = workspace.scan(snapshot, workspace.pact(snapshot))
    files = Files(snapshot.paths, str(workspace.sweep_places.tree), frozenset(gap.file for gap in scan.gaps))
    verdicts = outcomes_of(found, scan.tests, files).verdicts
    fingerprints = frozenset(apart)
    cases = [case_of(one) for result in results for one in result.diagnostics if one.fingerprint in fingerprints]
    unsure = {test for one in bind(cases, scan.tests, files) for test in one.tests}
    told = _Told(commit, source, {test.id: test for test in scan.tests})
    _store(workspace, snapshot, told, [one for name, one in verdicts.items() if name not in unsure])


def _said(result: CheckResult) -> ResultSet:
    """Return the results in a check's report, or the failures it printed."""
    if result.report:
        try:
            return read_results(Report(result.check, result.report))
        except ReportError:  # a format that only the check's parser knows, or a report that breaks off
            pass
    failed = [one for one in result.diagnostics if one.test and one.severity == "error"]
    return ResultSet(result.check, SWEPT, tuple(TestResult(case_of(one), "failed") for one in failed))


def _store(workspace: Workspace, snapshot: Snapshot, told: _Told, verdicts: Iterable[TestVerdict]) -> int:
    """Store verdicts on tests of a snapshot, except skips; return how many."""
    newest = snapshot.commit in {None, workspace.repository.head()}
    at = _moment(workspace, None if newest else snapshot.commit)
    rows = [told.row(one, at, snapshot) for one in verdicts if one.outcome != "skipped"]
    if rows:
        from pactkeeper.store.attestations import save_test_outcomes  # noqa: PLC0415 - only if there are outcomes

        save_test_outcomes(workspace.history(), rows, newest=newest)
    return len(rows)


def prune_evidence(workspace: Workspace, *, keep: int) -> int:
    """Delete all but the latest `keep` outcomes of every test; returns how many were deleted."""
    if not workspace.has_history:
        return 0
    from pactkeeper.store.attestations import forget_outcomes  # noqa: PLC0415 - only with a history

    return forget_outcomes(workspace.history(), keep=keep)


@dataclass(frozen=True, slots=True)
class _Told:
    """What all outcomes of one import share, and the tests by id."""

    commit: str
    source: str
    tests: Mapping[str, Test]

    def row(self, verdict: TestVerdict, at: str, snapshot: Snapshot) -> TestOutcomeRow:
        test = self.tests[verdict.test]
        blob = blob_of_files(test, snapshot.blob) or ""
        return TestOutcomeRow(test.id, test.body_hash, self.commit, verdict.outcome, at, self.source, blob)


def _newer(workspace: Workspace, snapshot: Snapshot, moment: datetime) -> frozenset[str]:
    """Return the files that were written after a moment, whether their changes are committed by now or not."""
    root = workspace.repository.root
    there = (path for path in snapshot.paths if (root / path).is_file())
    return frozenset(path for path in there if modified_at(root / path) > moment)


def _refuse_other_code(edited: Iterable[str], snapshot: Snapshot) -> None:
    """Refuse reports that are older than the code that is here, which no test of theirs ran."""
    code = sorted(path for path in edited if owner(path) is not None and path in snapshot)
    if code:
        more = f" and {len(code) - 1:,} more" if len(code) > 1 else ""
        raise UsageError(
            f"{code[0]}{more} is newer than the report, which therefore proves nothing about the code that is here; "
            "run the tests again, or name the commit that was tested: --commit REF"
        )


def _moment(workspace: Workspace, older: str | None) -> str:
    """Return the time of the outcomes: now, or an older commit's own time, so that newer outcomes take precedence."""
    moment = workspace.now()
    if older is not None:
        moment = min(committed_at(workspace, older), moment)
    return moment.isoformat(timespec="microseconds")


def _cases(found: Reported) -> int:
    return sum(len(results.results) + len(results.unclear) for _, results in found.reports)


@dataclass(frozen=True, slots=True)
class EvidenceReport:
    """The evidence on tests and their atoms, and the latest attestation by CI.

    Everything here comes from this machine and is plausible at best, except `attested`. `statuses` are by atom;
    `ran` says where the proven tests passed.
    """

    snapshot: str
    tests: tuple[tuple[LinkedTest, TestEvidenceState], ...]
    atoms: Mapping[str, AtomEvidence]
    statuses: Mapping[str, str]
    attested: Attested | None
    ran: tuple[Ran, ...] = ()


def show_evidence(workspace: Workspace, names: Sequence[str] = ()) -> EvidenceReport:
    """Show the evidence on the named tests and the tests of named atoms, or on all, for the work tree."""
    snapshot = workspace.snapshot()
    world = workspace.world(snapshot)
    states, atoms = judged(workspace, snapshot, world)
    chosen = _chosen(world, names, folder=workspace.folder) if names else world.linked
    tests = tuple((entry, states[entry.test.id]) for entry in chosen)
    shown = {**dict(_of(chosen, atoms)), **{name: atoms[name] for name in names if name in atoms}} if names else atoms
    statuses = {name: str(world.pact.status_of(name)) for name in shown}
    ran = ran_at(workspace, snapshot, world, {entry.test.id: state for entry, state in tests})
    return EvidenceReport(snapshot.name, tests, shown, statuses, latest_attested(workspace), ran)


def _chosen(world: World, names: Sequence[str], *, folder: str) -> tuple[LinkedTest, ...]:
    """Return the tests that are named, or linked to a named atom."""
    wanted = {name for name in names if name in world.pact.atoms}
    others = [name for name in names if name not in wanted]
    named = {entry.test.id for entry in named_tests(world, others, folder=folder)}
    return tuple(entry for entry in world.linked if entry.test.id in named or not wanted.isdisjoint(entry.atoms()))


def _of(chosen: Collection[LinkedTest], atoms: Mapping[str, AtomEvidence]) -> Iterator[tuple[str, AtomEvidence]]:
    for name in sorted({atom for entry in chosen for atom in entry.atoms()}):
        if name in atoms:
            yield name, atoms[name]
