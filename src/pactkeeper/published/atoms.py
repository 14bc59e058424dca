"""Atoms, their clarifications, commitments, molecules, history and near relations as JSON."""

from __future__ import annotations

from typing import Final

from pactkeeper.authoring.refining import Refinement
from pactkeeper.intent.atoms import Atom, Clarification, Commitment, Molecule
from pactkeeper.intent.ids import Near
from pactkeeper.intent.quality import Quality
from pactkeeper.operators.atoms import AtomDetail, AtomHistory, AtomPage, AtomRow, SearchHit
from pactkeeper.operators.check import Row, RuleRow
from pactkeeper.operators.explain import Explained, LinkedRow
from pactkeeper.published.plain import Codec
from pactkeeper.repo.line_history import Revision

ATOM: Final = Codec(
    AtomRow,
    "id=atom.id status intent=atom.intent category=atom.category outcomes=atom.outcomes"
    " falsified_by=atom.falsified_by tags=atom.tags source=atom.source origin=atom.origin"
    " recommendation=atom.recommendation supersedes=atom.supersedes superseded_by=successor waiting"
    " reason=atom.reason commitment tests file=atom.path line=atom.line",
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
    commitments=Codec(Commitment, "id by at assurance"),
    revisions=Codec(Revision, "commit at by subject"),
)
_TEST: Final = Codec(
    LinkedRow,
    "id=test.test.id file=test.test.file line=test.test.name_line link=link.state carrier=link.carrier evidence",
)

EXPLAINED: Final = Codec(
    Explained,
    "atom=row quality evidence tests molecules rules clarifications history findings",
    atom=ATOM,
    quality=Codec(Quality, "score verdict judged"),
    tests=_TEST,
    molecules=Codec(Molecule, "id name lens"),
    rules=Codec(RuleRow, "id text status reason"),
    clarifications=CLARIFICATION,
    history=HISTORY,
    findings=Codec(Row, "code severity file=path line subject about message fix"),
)


def _language(quality: Quality) -> str | None:
    return quality.language or None


QUALITY: Final = Codec(Quality, "score verdict judged language= dimensions", language=_language)


def _is_atomic(found: Refinement) -> bool:
    return not found.joints


REFINED: Final = Codec(
    Refinement,
    "intent=words.intent quality atomic= reasons=joints questions",
    quality=QUALITY,
    atomic=_is_atomic,
)


def refinement_document(found: Refinement, atom: Atom | None) -> dict[str, object]:
    """The published form; `atom` is the one of the pact whose words they are."""
    return {"atom": None if atom is None else atom.id, **REFINED(found)}
