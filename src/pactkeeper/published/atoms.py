"""Atoms, their clarifications, history and near relations as JSON."""

from __future__ import annotations

from collections.abc import Sequence

from pactkeeper.intent.atoms import Clarification
from pactkeeper.intent.ids import Near
from pactkeeper.operators.atoms import AtomHistory, AtomRow
from pactkeeper.operators.explain import Explained
from pactkeeper.published.plain import members


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


def explained_document(found: Explained) -> dict[str, object]:
    """The published form."""
    return {
        "schema": "pactkeeper.explained/1",
        "atom": atom_document(found.row),
        "quality": members(found.quality, "score verdict judged"),
        "evidence": found.evidence,
        "tests": [
            {
                "id": one.test.test.id,
                "file": one.test.test.file,
                "line": one.test.test.name_line,
                "link": one.link.state,
                "carrier": one.link.carrier,
                "evidence": one.evidence,
            }
            for one in found.tests
        ],
        "molecules": [members(one, "id name lens") for one in found.molecules],
        "rules": [members(one, "id text status reason") for one in found.rules],
        "clarifications": clarification_documents(found.clarifications),
        "history": {key: value for key, value in history_document(found.history).items() if key != "schema"},
        "findings": [
            {
                **members(one, "code severity"),
                "file": one.path,
                **members(one, "line subject about message fix"),
            }
            for one in found.findings
        ],
    }
