"""Verbs about evidence: import reports into the history, and show what is known of each test."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from pactkeeper.errors import UsageError
from pactkeeper.intent.evidence_state import AtomEvidence, TestEvidenceState, TestOutcomeRow
from pactkeeper.intent.links import LinkedTest
from pactkeeper.intent.results import TestVerdict, Unmatched, outcome_counts
from pactkeeper.intent.tests import Test
from pactkeeper.operators.named import named_tests
from pactkeeper.operators.proof import Attested, judged, latest_attested
from pactkeeper.operators.test_reports import Reported, changed_paths, path_of, reported

if TYPE_CHECKING:
    from pactkeeper.reconcile.world import World
    from pactkeeper.repo.snapshot import Snapshot
    from pactkeeper.workspace import Workspace

EDITED_SINCE: Final = "its file was edited after the report was written"
MOST_SOURCES: Final = 3


@dataclass(frozen=True, slots=True)
class Imported:
    """What was stored: for which commit (empty if the work tree differs from HEAD), and tests by outcome.

    `stored` excludes skipped tests, which prove nothing; `silent` counts the tests that no report mentions.
    """

    commit: str
    counts: Mapping[str, int]
    cases: int
    stored: int
    silent: int
    unmatched: tuple[Unmatched, ...]


def import_evidence(workspace: Workspace, names: Sequence[str], *, commit: str | None = None) -> Imported:
    """Store what reports say about the tests of the work tree, or of the commit they were written at.

    Without a commit the outcomes belong to HEAD if the work tree equals it, and to no commit otherwise. A test whose
    uncommitted file was edited after the report is left out, because it may have changed.
    """
    if not names:
        raise UsageError("no report is named; give the file that the test run wrote, for example junit.xml")
    snapshot = workspace.snapshot(commit)
    scan = workspace.scan(snapshot, workspace.pact(snapshot))
    tests = {test.id: test for test in scan.tests}
    found = reported(workspace, snapshot, scan, names)
    changed = () if commit is not None else changed_paths(workspace, names)
    edited = _edited_since(workspace, names, changed)
    verdicts = found.outcomes.verdicts
    late = [one for one in verdicts.values() if tests[one.test].file in edited]
    timely = [one for one in verdicts.values() if tests[one.test].file not in edited]
    newest = snapshot.commit in {None, workspace.repository.head()}
    moment = _moment(workspace, None if newest else snapshot.commit)
    stamp = _Stamp(_commit_of(workspace, snapshot, changed), moment, _source(names))
    rows = [stamp.row(tests[one.test], one, snapshot) for one in timely if one.outcome != "skipped"]
    if rows:
        from pactkeeper.store.attestations import save_test_outcomes  # noqa: PLC0415 - only if there are outcomes

        save_test_outcomes(workspace.history(), rows, newest=newest)
    unmatched = (*found.outcomes.unmatched, *(_late(one, stamp.source) for one in late))
    counts = outcome_counts(one.outcome for one in timely)
    return Imported(stamp.commit, counts, _cases(found), len(rows), len(tests) - len(verdicts), unmatched)


def prune_evidence(workspace: Workspace, *, keep: int) -> int:
    """Delete all but the latest `keep` outcomes of every test; returns how many were deleted."""
    if not workspace.has_history:
        return 0
    from pactkeeper.store.attestations import forget_outcomes  # noqa: PLC0415 - only with a history

    return forget_outcomes(workspace.history(), keep=keep)


@dataclass(frozen=True, slots=True)
class _Stamp:
    """What all outcomes of one import share."""

    commit: str
    at: str
    source: str

    def row(self, test: Test, verdict: TestVerdict, snapshot: Snapshot) -> TestOutcomeRow:
        blob = snapshot.blob(test.file) or ""
        return TestOutcomeRow(test.id, test.body_hash, self.commit, verdict.outcome, self.at, self.source, blob)


def _commit_of(workspace: Workspace, snapshot: Snapshot, changed: Sequence[str]) -> str:
    return snapshot.commit or ("" if changed else workspace.repository.head() or "")


def _edited_since(workspace: Workspace, names: Sequence[str], changed: Sequence[str]) -> frozenset[str]:
    """Return the changed files that are newer than the oldest report."""
    root = workspace.repository.root
    written = min(path_of(workspace, name).stat().st_mtime_ns for name in names)
    there = (path for path in changed if (root / path).is_file())
    return frozenset(path for path in there if (root / path).stat().st_mtime_ns > written)


def _moment(workspace: Workspace, older: str | None) -> str:
    """Return the time of the outcomes: now, or an older commit's own time, so that newer outcomes take precedence."""
    moment = workspace.now()
    if older is not None:
        committed = workspace.repository.run("log", "-1", "--format=%cI", older).decode().strip()
        moment = min(datetime.fromisoformat(committed), moment)
    return moment.isoformat(timespec="microseconds")


def _source(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_SOURCES} more" if len(names) > MOST_SOURCES else ""
    return ", ".join(names[:MOST_SOURCES]) + more


def _late(verdict: TestVerdict, source: str) -> Unmatched:
    return Unmatched(source, verdict.test, verdict.outcome, EDITED_SINCE, verdict.message)


def _cases(found: Reported) -> int:
    return sum(len(results.results) + len(results.unclear) for _, results in found.reports)


@dataclass(frozen=True, slots=True)
class EvidenceReport:
    """The evidence on tests and their atoms, and the latest attestation by CI.

    Everything here comes from this machine and is plausible at best, except `attested`. `statuses` are by atom.
    """

    snapshot: str
    tests: tuple[tuple[LinkedTest, TestEvidenceState], ...]
    atoms: Mapping[str, AtomEvidence]
    statuses: Mapping[str, str]
    attested: Attested | None


def show_evidence(workspace: Workspace, names: Sequence[str] = ()) -> EvidenceReport:
    """Show the evidence on the named tests and the tests of named atoms, or on all, for the work tree."""
    snapshot = workspace.snapshot()
    world = workspace.world(snapshot)
    states, atoms = judged(workspace, snapshot, world)
    chosen = _chosen(world, names, folder=workspace.folder) if names else world.linked
    tests = tuple((entry, states[entry.test.id]) for entry in chosen)
    shown = {**dict(_of(chosen, atoms)), **{name: atoms[name] for name in names if name in atoms}} if names else atoms
    statuses = {name: str(world.pact.status_of(name)) for name in shown}
    return EvidenceReport(snapshot.name, tests, shown, statuses, latest_attested(workspace))


def _chosen(world: World, names: Sequence[str], *, folder: str) -> tuple[LinkedTest, ...]:
    """Return the tests that are named, or linked to a named atom."""
    wanted = {name for name in names if name in world.pact.atoms}
    others = [name for name in names if name not in wanted]
    named = {entry.test.id for entry in named_tests(world, others, folder=folder)}
    return tuple(
        entry for entry in world.linked if entry.test.id in named or any(link.atom in wanted for link in entry.links)
    )


def _of(chosen: Collection[LinkedTest], atoms: Mapping[str, AtomEvidence]) -> Iterator[tuple[str, AtomEvidence]]:
    for name in sorted({link.atom for entry in chosen for link in entry.links}):
        if name in atoms:
            yield name, atoms[name]
