"""A judgement of words, and what a sentence was taken apart into, as JSON."""

from __future__ import annotations

from collections.abc import Mapping

from pactkeeper.authoring.refining import Refinement
from pactkeeper.intent.atoms import Atom
from pactkeeper.intent.quality import Quality
from pactkeeper.published.plain import members

SCHEMA = "pactkeeper.refinement/1"


def quality_document(quality: Quality) -> Mapping[str, object]:
    """The published form of a judgement."""
    return {
        "score": quality.score,
        "verdict": quality.verdict,
        "judged": quality.judged,
        "language": quality.language or None,
        "dimensions": [members(one, "name points most deductions") for one in quality.dimensions],
    }


def refinement_document(found: Refinement, atom: Atom | None) -> dict[str, object]:
    """The published form; `atom` is the one of the pact whose words they are."""
    return {
        "schema": SCHEMA,
        "atom": None if atom is None else atom.id,
        "intent": found.words.intent,
        "quality": quality_document(found.quality),
        "atomic": not found.joints,
        "reasons": list(found.joints),
        "questions": list(found.questions),
    }
