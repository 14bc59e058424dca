"""What answers about the pact have in common: how an atom reads, and how it is said that something cannot be told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from pactkeeper.chat.answers import Answer
from pactkeeper.chat.here import Here, Writing
from pactkeeper.errors import PactkeeperError

if TYPE_CHECKING:
    from pactkeeper.operators.atoms import AtomRow

# What a lookup is given; those that ask about the whole repository look at none of it.
Given = Mapping[str, Any]
Lookup = Callable[[Here, Given], Answer]
MOST: Final = 8  # things that are named; the rest is counted


def atom_line(row: AtomRow) -> str:
    """An atom in one line."""
    stands = f"committed in {row.commitment}" if row.commitment and row.status == "committed" else row.status
    return f"{row.atom.id} ({stands}): {row.atom.intent}"


NEEDS_PACT: Final = frozenset(
    {
        *("list_atoms", "count_atoms", "explain_atom", "search_atoms", "list_commitments", "list_molecules"),
        *("get_invariants", "validate_atom_quality", "find_conflicts"),
    }
)


def lacking(verb: str, reason: str, *then: str) -> Answer:
    """What cannot be told, and why."""
    said = Writing()
    said.say(reason, "missing")
    return said.answer(verb, next=then)


def looked_up(here: Here, verb: str, given: Given, table: Mapping[str, Lookup]) -> Answer:
    """Answer by one verb; what it cannot look at is said as its error says it."""
    if verb in NEEDS_PACT and not here.declared:
        return lacking(verb, "There is no pact in this repository: nothing is declared or committed here.", "pk init")
    try:
        with here.tool(verb):
            return table[verb](here, given)
    except PactkeeperError as reason:
        return lacking(verb, f"{verb} cannot tell: {reason}")
