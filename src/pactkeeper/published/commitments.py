"""Commitments as JSON."""

from __future__ import annotations

from collections.abc import Mapping

from pactkeeper.operators.commitments import CommitmentRow, FrozenAtom
from pactkeeper.published.plain import members

SCHEMA = "pactkeeper.commitments/1"


def commitments_document(rows: tuple[CommitmentRow, ...]) -> Mapping[str, object]:
    """The published form."""
    return {"schema": SCHEMA, "commitments": [_entry(row) for row in rows]}


def _entry(row: CommitmentRow) -> dict[str, object]:
    return {
        **members(row, "id by at status assurance why"),
        "atoms": [_atom(one) for one in row.atoms],
        **members(row, "overrides after"),
        "file": row.path,
        **members(row, "troubles"),
    }


def _atom(atom: FrozenAtom) -> dict[str, object]:
    unknown: dict[str, object] = {"intent": None, "category": None, "outcomes": [], "falsified_by": []}
    words = unknown if atom.words is None else members(atom.words, "intent category outcomes falsified_by")
    return {**members(atom, "id status intact replaces"), **words}
