"""The verb that finds atoms which may contradict or repeat each other, with both sides and the choices."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from pactkeeper.advice import joined
from pactkeeper.intent import conflicts
from pactkeeper.intent.conflicts import Conflict, Kind
from pactkeeper.intent.pact import Pact
from pactkeeper.ledger.question import Answer
from pactkeeper.operators.atoms import AtomRow, named_atom, row_of
from pactkeeper.reconcile.answering import by_question
from pactkeeper.reconcile.authored import comparing
from pactkeeper.reconcile.check import waive
from pactkeeper.reconcile.codes import Located, located
from pactkeeper.store.questions import answered_questions
from pactkeeper.workspace import Workspace

CODE_OF: Final[Mapping[Kind, str]] = {
    "contradiction": "PK140",
    "same sentence": "PK141",
    "unsure": "PK142",
    "shared test": "PK143",
}


@dataclass(frozen=True, slots=True)
class Candidate:
    """One conflict with its finding."""

    conflict: Conflict
    located: Located


@dataclass(frozen=True, slots=True)
class ConflictRow:
    """One candidate with its atoms, and the answer on how they relate, if somebody was asked."""

    candidate: Candidate
    atoms: tuple[AtomRow, ...]
    judged: Answer | None = None


@dataclass(frozen=True, slots=True)
class ConflictReport:
    """Candidates, contradictions first, and counts: waived ones, whole series left out, and pairs held by two tests."""

    rows: tuple[ConflictRow, ...]
    waived: int
    left_out: int
    held: int


def find_conflicts(workspace: Workspace, kinds: Collection[Kind] = (), *, atom: str | None = None) -> ConflictReport:
    """Find candidates among the atoms in force, by kind or about one atom; nothing is settled."""
    world = workspace.world(workspace.snapshot(), required=True)
    wanted = None if atom is None else named_atom(world.pact, atom).id
    found = conflicts.find_conflicts(world.pact, world.linked)
    candidates = [Candidate(one, _located(one, world.pact)) for one in found.found]
    waiting, _ = waive([one.located for one in candidates], world.pact.waivers, workspace.now().date())
    unanswered = {entry.finding.fingerprint for entry in waiting}
    shown = [one for one in candidates if one.located.finding.fingerprint in unanswered]
    answers = by_question(answered_questions(workspace.history())) if workspace.has_history else {}
    rows: list[ConflictRow] = []
    for one in shown:
        if (not kinds or one.conflict.kind in kinds) and (wanted is None or wanted in one.conflict.atoms):
            atoms = tuple(row_of(world.pact.atoms[name], world.pact) for name in one.conflict.atoms)
            rows.append(ConflictRow(one, atoms, answers.get(comparing(one.conflict, world).id)))
    return ConflictReport(tuple(rows), len(candidates) - len(shown), found.left_out, found.held)


def _located(conflict: Conflict, pact: Pact) -> Located:
    """Locate the finding at the first atom and name the others, so that it is the same from every side."""
    first, *others = conflict.atoms
    atom = pact.atoms[first]
    return located(
        CODE_OF[conflict.kind],
        first,
        f"with {', '.join(others)}: {conflict.message}",
        path=atom.path,
        line=atom.line,
        fix=joined("; or ", conflict.choices),
        basis=" ".join(pact.atoms[name].frozen_hash() for name in conflict.atoms),
        about=" ".join(others),
    )
