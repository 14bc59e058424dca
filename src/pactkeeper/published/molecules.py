"""A kept molecule as JSON."""

from __future__ import annotations

from pactkeeper.intent.atoms import Molecule
from pactkeeper.published.plain import members


def molecule_document(one: Molecule) -> dict[str, object]:
    """The published form of a kept molecule."""
    return members(one, "id name description lens atoms molecules tests")
