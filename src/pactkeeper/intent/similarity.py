"""Which sentences say nearly the same: a measure that names candidates and decides nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from pactkeeper.intent.atoms import Atom
from pactkeeper.intent.ids import normalised_intent

NEARLY: Final = 90  # of 100; below it other words, not another wording, make the difference
MOST: Final = 5


@dataclass(frozen=True, slots=True)
class Near:
    """An atom whose sentence is nearly the same; 100 `points` are the same up to case, spaces and the full stop."""

    atom: Atom
    points: int


def nearest(intent: str, atoms: Iterable[Atom], *, least: int = NEARLY, most: int = MOST) -> tuple[Near, ...]:
    """The atoms that say nearly what the sentence says, the nearest first."""
    from rapidfuzz import fuzz, process  # noqa: PLC0415 - only who writes or compares sentences loads it

    known = list(atoms)
    sentences = [normalised_intent(atom.intent) for atom in known]
    wanted = normalised_intent(intent)
    hits = process.extract(wanted, sentences, scorer=fuzz.ratio, score_cutoff=least, limit=None)
    found = [Near(known[index], int(points)) for _, points, index in hits]
    return tuple(sorted(found, key=lambda near: (-near.points, near.atom.id))[:most])


def same(intent: str, atoms: Iterable[Atom]) -> tuple[Atom, ...]:
    """The atoms whose sentence is the same up to case, spaces and the final full stop."""
    wanted = normalised_intent(intent)
    return tuple(atom for atom in atoms if normalised_intent(atom.intent) == wanted)
