"""Atoms, their words and their tests as JSON: clarifications, commitments, rules, molecules, history, contexts."""

from __future__ import annotations

from typing import Final, TypedDict

from pactkeeper.authoring.words import Refinement
from pactkeeper.intent.atoms import Atom, Clarification, Commitment, Molecule
from pactkeeper.intent.context import Concepts, Passage, TestContext, related_docs
from pactkeeper.intent.evidence_state import Backing
from pactkeeper.intent.ids import Near
from pactkeeper.intent.pact import Invariant
from pactkeeper.intent.quality import Quality
from pactkeeper.intent.tests import Gap
from pactkeeper.operators.atoms import AtomDetail, AtomHistory, AtomPage, AtomRow, SearchHit
from pactkeeper.operators.check import Row, RuleRow
from pactkeeper.operators.commitments import CommitmentRow, FrozenAtom
from pactkeeper.operators.documents import DocumentSearch
from pactkeeper.operators.explain import Explained, LinkedRow
from pactkeeper.operators.invariants import RuleCard
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


PASSAGE: Final = Codec(Passage, "path line last trail snippet=excerpt code")


def _left_out(context: TestContext) -> dict[str, int]:
    return dict(context.cut)


CONTEXT: Final = Codec(
    TestContext,
    "test assertions concepts code documents related_files=related related_docs= left_out= budget size",
    concepts=Codec(Concepts, "domain technical"),
    documents=PASSAGE,
    related_docs=related_docs,
    left_out=_left_out,
)
SEARCH: Final = Codec(
    DocumentSearch,
    "snapshot chunks=found.passages total=found.total files terms=found.terms dropped=found.dropped gaps",
    chunks=PASSAGE,
    gaps=Codec(Gap, "file reason"),
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
    Refinement, "intent=words.intent quality atomic= reasons=joints questions", quality=QUALITY, atomic=_is_atomic
)


def refinement_document(found: Refinement, atom: Atom | None) -> dict[str, object]:
    """Publish a refinement; `atom` is the atom of the pact that has these words, if any."""
    return {"atom": None if atom is None else atom.id, **REFINED(found)}


RULE: Final = Codec(
    RuleCard,
    "id name rule=text built_in enabled=setting.enabled severity=setting.severity blocking=setting.blocking"
    " overridable code=setting.code why fix checked *written",
    written=Codec(Invariant, "every where needs file=path line"),
)


class _Words(TypedDict):
    """The words of a frozen atom; None or empty if the commitment does not contain them."""

    intent: str | None
    category: str | None
    outcomes: tuple[str, ...]
    falsified_by: tuple[str, ...]


def _words(atom: FrozenAtom) -> _Words:
    said = atom.words
    if said is None:
        return {"intent": None, "category": None, "outcomes": (), "falsified_by": ()}
    return {
        "intent": said.intent,
        "category": said.category,
        "outcomes": said.outcomes,
        "falsified_by": said.falsified_by,
    }


COMMITMENT: Final = Codec(
    CommitmentRow,
    "id by at status assurance why abandons atoms overrides after file=path troubles",
    atoms=Codec(FrozenAtom, "id status intact replaces *words=", words=_words),
)
