"""Whether a sentence says one behaviour or several, and how it would be split."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Atomicity:
    """`reasons` cite the words that join behaviours; `parts` are complete sentences, the whole where it is one."""

    atomic: bool
    reasons: tuple[str, ...]
    parts: tuple[str, ...]


def atomicity(intent: str, outcomes: Sequence[str]) -> Atomicity:
    """Tell whether an intent with its outcomes is one behaviour."""
    if ";" in intent and len(outcomes) != 1:
        parts = tuple(part.strip() for part in intent.split(";") if part.strip())
        return Atomicity(atomic=False, reasons=("';' joins two sentences",), parts=parts)
    return Atomicity(atomic=True, reasons=(), parts=(intent,))
