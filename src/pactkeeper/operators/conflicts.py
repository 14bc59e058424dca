"""The verb that finds atoms which may contradict or repeat each other."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from pactkeeper.intent.conflicts import Kind
from pactkeeper.ledger.question import Answer
from pactkeeper.operators.atoms import AtomRow, named_atom, row_of
from pactkeeper.reconcile.answering import by_question
from pactkeeper.reconcile.conflicts import Candidate, conflict_findings
from pactkeeper.reconcile.raising import comparing
from pactkeeper.store.questions import answered_questions
from pactkeeper.workspace import Workspace


@dataclass(frozen=True, slots=True)
class ConflictRow:
    """One candidate with the atoms that it is about, and what somebody who was asked says they are to each other."""

    candidate: Candidate
    atoms: tuple[AtomRow, ...]
    judged: Answer | None = None


@dataclass(frozen=True, slots=True)
class ConflictReport:
    """Candidates, contradictions first; what is held back is counted."""

    rows: tuple[ConflictRow, ...]
    waived: int
    left_out: int
    held: int


def find_conflicts(workspace: Workspace, kinds: Collection[Kind] = (), *, atom: str | None = None) -> ConflictReport:
    """Find candidates among the atoms in force, of some kinds or about one atom; nothing is settled by it."""
    world = workspace.world(workspace.snapshot(), required=True)
    wanted = None if atom is None else named_atom(world.pact, atom).id
    found = conflict_findings(world.pact, world.linked, today=workspace.now().date())
    answers = by_question(answered_questions(workspace.history())) if workspace.has_history else {}
    rows = (
        ConflictRow(
            one,
            tuple(row_of(world.pact.atoms[name], world.pact) for name in one.conflict.atoms),
            answers.get(comparing(one.conflict, world).id),
        )
        for one in found.candidates
        if (not kinds or one.conflict.kind in kinds) and (wanted is None or wanted in one.conflict.atoms)
    )
    return ConflictReport(tuple(rows), found.waived, found.left_out, found.held)
