"""Verbs that only look: scan, check, delta and status."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pactkeeper.intent.links import LinkedTest, realisers_by_atom
from pactkeeper.intent.paths import under
from pactkeeper.intent.tests import Gap
from pactkeeper.operators.proof import Proof, proof
from pactkeeper.operators.signatures import known_commitments
from pactkeeper.operators.view import View, refuse_unknown
from pactkeeper.reconcile.check import check
from pactkeeper.reconcile.world import World
from pactkeeper.repo.delta import Delta, delta_between
from pactkeeper.repo.snapshot import Snapshot
from pactkeeper.workspace import Workspace


@dataclass(frozen=True, slots=True)
class ScanReport:
    """The tests of a view with their links, and what could not be seen."""

    snapshot: str
    world: World
    linked: tuple[LinkedTest, ...]


@dataclass(frozen=True, slots=True)
class DeltaReport:
    """A test-level difference, with what it means for the pact."""

    base: str
    target: str
    delta: Delta
    changed_linked: tuple[str, ...]
    orphans: tuple[str, ...]
    atoms_without_tests: tuple[str, ...]
    gaps: tuple[Gap, ...]


def scan_repo(workspace: Workspace, view: View) -> ScanReport:
    """Find every test of the view and give it its links; works without a pact."""
    snapshot = workspace.snapshot(view.at, staged=view.staged)
    refuse_unknown(workspace, snapshot, view.paths)
    world = workspace.world(snapshot, judged=False)
    linked = tuple(entry for entry in world.linked if not view.paths or under(entry.test.file, view.paths))
    return ScanReport(snapshot.name, world, linked)


def discover_delta(workspace: Workspace, view: View, *, since: str | None) -> DeltaReport:
    """Compare the view's tests with a base: `since`, the last run's commit, or where HEAD left the main branch."""
    base = workspace.snapshot(_base(workspace, since))
    target = workspace.snapshot(view.at, staged=view.staged)
    refuse_unknown(workspace, target, view.paths)
    before, after = workspace.world(base, judged=False), workspace.world(target, judged=False)
    delta = delta_between(base, before.scan, target, after.scan)
    delta = delta.under(view.paths) if view.paths else delta
    touched = {*delta.added, *delta.modified, *(new for _, new in (*delta.moved, *delta.renamed))}
    return DeltaReport(
        base.commit or base.name,
        target.commit or target.kind,
        delta,
        tuple(name for name in delta.modified if after.by_id[name].links),
        tuple(name for name in sorted(touched) if after.by_id[name].state in {"orphan", "changed_debt"}),
        _lost(before, after, delta),
        delta.gaps,
    )


def _base(workspace: Workspace, since: str | None) -> str:
    from pactkeeper.operators.baseline import baseline_of  # noqa: PLC0415 - only a delta has a base

    return baseline_of(workspace, since).commit


def _lost(before: World, after: World, delta: Delta) -> tuple[str, ...]:
    """Atoms that a deleted or changed test named before and that no test names now."""
    touched = {*delta.deleted, *delta.modified, *(old for old, _ in (*delta.moved, *delta.renamed))}
    named = {link.atom for name in touched if name in before.by_id for link in before.by_id[name].links}
    now = realisers_by_atom(after.linked)
    return tuple(sorted(atom for atom in named if atom not in now and atom in after.pact.atoms))


def _waiting(workspace: Workspace) -> int:
    """How many ops nobody has decided; a repository without a history waits for nobody."""
    if not workspace.has_history:
        return 0
    from pactkeeper.store.waiting import undecided_ops  # noqa: PLC0415 - only where there is a history

    return undecided_ops(workspace.history())


@dataclass(frozen=True, slots=True)
class Statistics:
    """Counts for one screen: tests by state and framework, atoms by status, and what waits for a person.

    `proof` is what is known of tests and atoms; None where there is no history.
    """

    snapshot: str
    declared: bool
    tests: Mapping[str, int]
    frameworks: Mapping[str, int]
    atoms: Mapping[str, int]
    debt: int
    gaps: int
    errors: int
    warnings: int
    pending: int
    unfinished: str | None
    orphans_by_folder: Sequence[tuple[str, int]]
    proof: Proof | None = None


def get_statistics(workspace: Workspace) -> Statistics:
    """Count; a broken pact is an error as everywhere."""
    snapshot: Snapshot = workspace.snapshot()
    world = workspace.world(snapshot)
    known = known_commitments(workspace, snapshot, world.pact, below=workspace.repository.head())
    verdict = check(world.linked, world.pact, world.scan.gaps, today=workspace.now().date(), known=known)
    severities = Counter(entry.finding.severity for entry in verdict.findings)
    unlinked = [entry.test.file for entry in world.linked if entry.state in {"orphan", "debt", "changed_debt"}]
    folders = Counter(file.rpartition("/")[0] or "." for file in unlinked)
    return Statistics(
        snapshot.name,
        any(path.startswith("pact/") for path in snapshot.paths),
        verdict.tests,
        dict(sorted(Counter(entry.test.framework for entry in world.linked).items())),
        verdict.atoms,
        len(world.pact.debt.by_test),
        len(world.scan.gaps),
        severities["error"],
        severities["warning"],
        _waiting(workspace),
        workspace.unfinished(),
        sorted(folders.items(), key=lambda item: (-item[1], item[0]))[:5],
        proof(workspace, snapshot, world),
    )
