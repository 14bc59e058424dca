"""A kept molecule as JSON."""

from __future__ import annotations

from pactkeeper.intent.atoms import Molecule


def molecule_document(one: Molecule) -> dict[str, object]:
    """The published form of a kept molecule."""
    return {
        "id": one.id,
        "name": one.name,
        "description": one.description,
        "lens": one.lens,
        "atoms": list(one.atoms),
        "molecules": list(one.molecules),
        "tests": list(one.tests),
    }
