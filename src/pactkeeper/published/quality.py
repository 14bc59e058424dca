"""The words of atoms and the rules over them as JSON: quality, all about an atom, invariants, commitments."""

from __future__ import annotations

from typing import Final, TypedDict

from pactkeeper.authoring.words import Refinement
from pactkeeper.intent.atoms import Atom, Molecule
from pactkeeper.intent.pact import Invariant
from pactkeeper.intent.quality import Quality
from pactkeeper.operators.check import Row, RuleRow
from pactkeeper.operators.commitments import CommitmentRow, FrozenAtom
from pactkeeper.operators.explain import Explained, LinkedRow
from pactkeeper.operators.invariants import RuleCard
from pactkeeper.published.atoms import ATOM, CLARIFICATION, HISTORY
from pactkeeper.published.plain import Codec

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
