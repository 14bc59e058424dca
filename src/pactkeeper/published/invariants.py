"""A rule as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pactkeeper.intent.pact import Invariant
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
