"""Atoms and their clarifications, commitments, molecules, history and similar atoms as JSON."""

from __future__ import annotations

from typing import Final

from pactkeeper.intent.atoms import Clarification, Commitment, Molecule
from pactkeeper.intent.evidence_state import Backing
from pactkeeper.intent.ids import Near
from pactkeeper.operators.atoms import AtomDetail, AtomHistory, AtomPage, AtomRow, SearchHit
from pactkeeper.published.plain import Codec
from pactkeeper.repo.line_history import Revision

BACKING: Final = Codec(Backing, "backed tests lacks")
ATOM: Final = Codec(
    AtomRow,
    "id=atom.id status intent=atom.intent category=atom.category outcomes=atom.outcomes"
    " falsified_by=atom.falsified_by tags=atom.tags source=atom.source origin=atom.origin"
    " recommendation=atom.recommendation supersedes=atom.supersedes superseded_by=successor waiting"
    " reason commitment tests file=atom.path line=atom.line backing?",
    backing=BACKING,
)
ATOMS: Final = Codec(AtomPage, "total page pages atoms=rows", atoms=ATOM)
FOUND: Final = Codec(SearchHit, "*row matched", row=ATOM)
CLARIFICATION: Final = Codec(Clarification, "id question answer by at")
MOLECULE: Final = Codec(Molecule, "id name description lens atoms molecules tests")
NEAR: Final = Codec(Near, "id=atom.id intent=atom.intent points")
DETAIL: Final = Codec(
    AtomDetail,
    "*row molecules clarifications",
    row=ATOM,
    molecules=Codec(Molecule, "id name"),
    clarifications=CLARIFICATION,
)
HISTORY: Final = Codec(
    AtomHistory,
    "atom=atom.atom.id chain commitments revisions",
    chain=ATOM,
    commitments=Codec(Commitment, "id by at assurance abandons"),
    revisions=Codec(Revision, "commit at by subject"),
)
