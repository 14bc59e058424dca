"""The quality of an atom's wording, and everything known about an atom, as JSON."""

from __future__ import annotations

from typing import Final

from pactkeeper.authoring.refining import Refinement
from pactkeeper.intent.atoms import Atom, Molecule
from pactkeeper.intent.quality import Quality
from pactkeeper.operators.check import Row, RuleRow
from pactkeeper.operators.explain import Explained, LinkedRow
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
    Refinement,
    "intent=words.intent quality atomic= reasons=joints questions",
    quality=QUALITY,
    atomic=_is_atomic,
)


def refinement_document(found: Refinement, atom: Atom | None) -> dict[str, object]:
    """Publish a refinement; `atom` is the atom of the pact that has these words, if any."""
    return {"atom": None if atom is None else atom.id, **REFINED(found)}
