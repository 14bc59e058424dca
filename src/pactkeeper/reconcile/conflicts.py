"""Conflicts between atoms as findings: both sides, the choices, and what somebody already answers for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from pactkeeper.intent.conflicts import Conflict, Kind, find_conflicts
from pactkeeper.intent.links import LinkedTest
from pactkeeper.intent.pact import Pact
from pactkeeper.reconcile.check import waive
from pactkeeper.reconcile.located import Located, located

CODE_OF: Final[Mapping[Kind, str]] = {
    "contradiction": "PK140",
    "same sentence": "PK141",
    "unsure": "PK142",
    "shared test": "PK143",
}


@dataclass(frozen=True, slots=True)
class Candidate:
    """One conflict with its finding."""

    conflict: Conflict
    located: Located


@dataclass(frozen=True, slots=True)
class ConflictVerdict:
    """Candidates, contradictions first; `waived` counts those that somebody answers for, `left_out` whole series.

    `held` counts pairs of sentences that two tests hold at once, whatever their words say of each other.
    """

    candidates: tuple[Candidate, ...]
    waived: int
    left_out: int
    held: int


def conflict_findings(pact: Pact, linked: Sequence[LinkedTest] | None, *, today: date) -> ConflictVerdict:
    """Look for conflicts among the atoms in force; without `linked`, shared tests are not looked for."""
    found = find_conflicts(pact, linked)
    candidates = [Candidate(one, _located(one, pact)) for one in found.found]
    kept = {entry.finding.fingerprint for entry in waive([one.located for one in candidates], pact.waivers, today)[0]}
    shown = tuple(one for one in candidates if one.located.finding.fingerprint in kept)
    return ConflictVerdict(shown, len(candidates) - len(shown), found.left_out, found.held)


def _located(conflict: Conflict, pact: Pact) -> Located:
    """The finding stands at the first atom and is about the others, so that it is the same whoever is looked at."""
    first, *others = conflict.atoms
    atom = pact.atoms[first]
    return located(
        CODE_OF[conflict.kind],
        first,
        f"with {', '.join(others)}: {conflict.message}",
        path=atom.path,
        line=atom.line,
        fix="; or ".join(conflict.choices),
        basis=" ".join(pact.atoms[name].frozen_hash() for name in conflict.atoms),
        about=" ".join(others),
    )
