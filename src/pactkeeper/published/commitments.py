"""Commitments as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pactkeeper.intent.atoms import Frozen
from pactkeeper.operators.commitments import CommitmentRow, FrozenAtom
from pactkeeper.published.plain import Codec

_UNKNOWN: Final[Mapping[str, object]] = {"intent": None, "category": None, "outcomes": [], "falsified_by": []}
_WORDS: Final = Codec(Frozen, "intent category outcomes falsified_by")
_ATOM: Final = Codec(FrozenAtom, "id status intact replaces")
COMMITMENT: Final = Codec(
    CommitmentRow,
    "id by at status assurance why atoms overrides after file=path troubles",
    atoms=lambda one: {**_ATOM(one), **(_UNKNOWN if one.words is None else _WORDS(one.words))},
)
