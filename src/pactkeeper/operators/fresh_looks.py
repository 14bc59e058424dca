"""Compute scans and deltas when no cached report is valid."""

from __future__ import annotations

from dataclasses import dataclass

from pactkeeper.intent.links import LinkedTest, realisers_by_atom
from pactkeeper.intent.tests import Gap, under
from pactkeeper.operators.observe import DeltaReport, TestRow
from pactkeeper.operators.view import StateView, refuse_unknown
from pactkeeper.reconcile.world import World
from pactkeeper.repo.delta import Delta, delta_between
from pactkeeper.repo.snapshot import Snapshot
from pactkeeper.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Sight:
    """The tests of a view with their links, and what could not be scanned."""

    snapshot: str
    linked: tuple[LinkedTest, ...]
    gaps: tuple[Gap, ...]


def sight(workspace: Workspace, view: StateView) -> Sight:
    """Find every test of the view and its links."""
    snapshot = workspace.snapshot(view.at, staged=view.staged)
    refuse_unknown(workspace, snapshot, view.paths)
    world = workspace.world(snapshot, judged=False)
    linked = tuple(entry for entry in world.linked if not view.paths or under(entry.test.file, view.paths))
    return Sight(snapshot.name, linked, tuple(world.scan.gaps))


def row_of(entry: LinkedTest) -> TestRow:
    """Convert a test with its links for doors."""
    test = entry.test
    return TestRow(
        test.id,
        test.file,
        test.suite,
        test.name,
        test.name_line,
        test.end_line,
        test.language,
        test.framework,
        test.cases,
        test.dynamic,
        test.body_hash,
        tuple((link.atom, link.state, link.carrier) for link in entry.links),
        entry.state,
    )


def compare(workspace: Workspace, base: Snapshot, target: Snapshot, paths: tuple[str, ...]) -> DeltaReport:
    """Compare the tests of two snapshots, and what that means for the pact."""
    after = workspace.world(target, judged=False)
    pact = workspace.pact(base, judged=False)
    before = workspace.scan(base, pact)
    delta = delta_between(base, before, target, after.scan)
    delta = delta.under(paths) if paths else delta
    touched = {*delta.added, *delta.modified, *(new for _, new in (*delta.moved, *delta.renamed))}
    return DeltaReport(
        base.commit or base.name,
        target.commit or target.kind,
        delta,
        tuple(name for name in delta.modified if after.by_id[name].links),
        tuple(name for name in sorted(touched) if after.by_id[name].state in {"orphan", "changed_debt"}),
        _lost(World.of(before, pact, workspace.weigh(base, pact)), after, delta) if after.pact.atoms else (),
    )


def _lost(before: World, after: World, delta: Delta) -> tuple[str, ...]:
    """Return atoms that a deleted or changed test used to name and no test names now."""
    touched = {*delta.deleted, *delta.modified, *(old for old, _ in (*delta.moved, *delta.renamed))}
    named = {link.atom for name in touched if name in before.by_id for link in before.by_id[name].links}
    now = realisers_by_atom(after.linked)
    return tuple(sorted(atom for atom in named if atom not in now and atom in after.pact.atoms))
