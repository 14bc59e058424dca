"""Commitments as JSON."""

from __future__ import annotations

from collections.abc import Mapping

from pactkeeper.operators.commitments import (
    CommitmentRow,
    FrozenAtom,
)

SCHEMA = "pactkeeper.commitments/1"


def commitments_document(rows: tuple[CommitmentRow, ...]) -> Mapping[str, object]:
    """The published form."""
    return {"schema": SCHEMA, "commitments": [_entry(row) for row in rows]}


def _entry(row: CommitmentRow) -> dict[str, object]:
    return {
        "id": row.id,
        "by": row.by,
        "at": row.at,
        "status": row.status,
        "assurance": row.assurance,
        "why": row.why,
        "atoms": [_atom(one) for one in row.atoms],
        "overrides": dict(row.overrides),
        "after": list(row.after),
        "file": row.path,
        "troubles": list(row.troubles),
    }


def _atom(atom: FrozenAtom) -> dict[str, object]:
    words = atom.words
    return {
        "id": atom.id,
        "status": atom.status,
        "intact": atom.intact,
        "replaces": atom.replaces,
        "intent": None if words is None else words.intent,
        "category": None if words is None else words.category,
        "outcomes": [] if words is None else list(words.outcomes),
        "falsified_by": [] if words is None else list(words.falsified_by),
    }
