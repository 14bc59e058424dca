"""Invariants and commitments as JSON."""

from __future__ import annotations

from typing import Final, TypedDict

from pactkeeper.intent.pact import Invariant
from pactkeeper.operators.commitments import CommitmentRow, FrozenAtom
from pactkeeper.operators.invariants import RuleCard
from pactkeeper.published.plain import Codec

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
    "id by at status assurance why atoms overrides after file=path troubles",
    atoms=Codec(FrozenAtom, "id status intact replaces *words=", words=_words),
)
