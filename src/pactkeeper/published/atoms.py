"""Atoms, their clarifications, history and near relations as JSON."""

from __future__ import annotations

from collections.abc import Sequence

from pactkeeper.intent.atoms import Clarification
from pactkeeper.intent.similarity import Near
from pactkeeper.operators.atom_history import AtomHistory
from pactkeeper.operators.atoms import (
    AtomRow,
)


def clarification_documents(clarifications: Sequence[Clarification]) -> list[dict[str, object]]:
    """The published form of questions with their answers."""
    return [
        {"id": one.id, "question": one.question, "answer": one.answer, "by": one.by, "at": one.at}
        for one in clarifications
    ]


def atom_document(row: AtomRow) -> dict[str, object]:
    """The published form of one atom."""
    atom = row.atom
    return {
        "id": atom.id,
        "status": row.status,
        "intent": atom.intent,
        "category": atom.category,
        "outcomes": list(atom.outcomes),
        "falsified_by": list(atom.falsified_by),
        "tags": list(atom.tags),
        "source": atom.source,
        "origin": atom.origin,
        "recommendation": atom.recommendation,
        "supersedes": atom.supersedes,
        "superseded_by": row.successor,
        "waiting": row.waiting,
        "reason": atom.reason,
        "commitment": row.commitment,
        "tests": list(row.tests),
        "file": atom.path,
        "line": atom.line,
    }


def near_document(near: tuple[Near, ...]) -> list[dict[str, object]]:
    """The published form of atoms that say nearly the same."""
    return [{"id": one.atom.id, "intent": one.atom.intent, "points": one.points} for one in near]


def history_document(found: AtomHistory) -> dict[str, object]:
    """The published form of an atom's history."""
    return {
        "schema": "pactkeeper.atom-history/1",
        "atom": found.atom.atom.id,
        "chain": [atom_document(row) for row in found.chain],
        "commitments": [
            {"id": one.id, "by": one.by, "at": one.at, "assurance": one.assurance} for one in found.commitments
        ],
        "revisions": [
            {"commit": one.commit, "at": one.at, "by": one.by, "subject": one.subject} for one in found.revisions
        ],
    }
