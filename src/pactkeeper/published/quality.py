"""A judgement of words, and what a sentence was taken apart into, as JSON."""

from __future__ import annotations

from typing import Final

from pactkeeper.authoring.refining import Refinement
from pactkeeper.intent.atoms import Atom
from pactkeeper.intent.quality import Quality
from pactkeeper.published.plain import Codec

QUALITY: Final = Codec(
    Quality, "score verdict judged language= dimensions", language=lambda quality: quality.language or None
)
_REFINED: Final = Codec(
    Refinement,
    "intent=words.intent quality atomic= reasons=joints questions",
    quality=QUALITY,
    atomic=lambda found: not found.joints,
)


def refinement_document(found: Refinement, atom: Atom | None) -> dict[str, object]:
    """The published form; `atom` is the one of the pact whose words they are."""
    return {"atom": None if atom is None else atom.id, **_REFINED(found)}
