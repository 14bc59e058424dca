"""A rule as JSON.

Commitments as JSON.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pactkeeper.intent.atoms import Frozen
from pactkeeper.intent.pact import Invariant
from pactkeeper.operators.commitments import CommitmentRow, FrozenAtom
from pactkeeper.operators.invariants import RuleCard
from pactkeeper.published.plain import Codec

_UNWRITTEN: Final[Mapping[str, object]] = {"every": None, "where": {}, "needs": {}, "file": "", "line": 0}
_WRITTEN: Final = Codec(Invariant, "every where needs file=path line")
_CARD: Final = Codec(
    RuleCard,
    "id name rule=text built_in enabled=setting.enabled severity=setting.severity blocking=setting.blocking"
    " overridable code=setting.code why fix checked",
)


def card_document(card: RuleCard) -> dict[str, object]:
    """The published form of one rule; `every`, `where` and `needs` are what the project wrote."""
    return {**_CARD(card), **(_UNWRITTEN if card.entry is None else _WRITTEN(card.entry))}


_UNKNOWN: Final[Mapping[str, object]] = {"intent": None, "category": None, "outcomes": [], "falsified_by": []}
_WORDS: Final = Codec(Frozen, "intent category outcomes falsified_by")
_ATOM: Final = Codec(FrozenAtom, "id status intact replaces")
COMMITMENT: Final = Codec(
    CommitmentRow,
    "id by at status assurance why atoms overrides after file=path troubles",
    atoms=lambda one: {**_ATOM(one), **(_UNKNOWN if one.words is None else _WORDS(one.words))},
)
