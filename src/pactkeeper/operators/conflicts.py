"""The verb that finds atoms which may contradict or repeat each other."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from pactkeeper.intent.conflicts import Kind
from pactkeeper.operators.atoms import AtomRow, named_atom, row_of
from pactkeeper.reconcile.conflicts import Candidate, conflict_findings
from pactkeeper.workspace import Workspace


@dataclass(frozen=True, slots=True)
class ConflictRow:
    """One candidate with the atoms that it is about."""

    candidate: Candidate
    atoms: tuple[AtomRow, ...]


@dataclass(frozen=True, slots=True)
class ConflictReport:
    """Candidates, contradictions first; what is held back is counted."""

    rows: tuple[ConflictRow, ...]
    waived: int
    left_out: int


def find_conflicts(workspace: Workspace, kinds: Collection[Kind] = (), *, atom: str | None = None) -> ConflictReport:
    """Find candidates among the atoms in force, of some kinds or about one atom; nothing is settled by it."""
    world = workspace.world(workspace.snapshot(), required=True)
    wanted = None if atom is None else named_atom(world.pact, atom).id
    found = conflict_findings(world.pact, world.linked, today=workspace.now().date())
    rows = (
        ConflictRow(one, tuple(row_of(world.pact.atoms[name], world.pact) for name in one.conflict.atoms))
        for one in found.candidates
        if (not kinds or one.conflict.kind in kinds) and (wanted is None or wanted in one.conflict.atoms)
    )
    return ConflictReport(tuple(rows), found.waived, found.left_out)
