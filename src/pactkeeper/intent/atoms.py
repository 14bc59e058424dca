"""Atoms, molecules and commitments as values; status is derived here and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, get_args

from pactkeeper.ledger.canonical import digest

Category = Literal["functional", "security", "performance", "reliability", "usability", "maintainability"]
CATEGORIES: tuple[Category, ...] = (
    "functional",
    "security",
    "performance",
    "reliability",
    "usability",
    "maintainability",
)
WrittenStatus = Literal["proposed", "draft", "abandoned"]
Status = Literal["proposed", "draft", "abandoned", "committed", "superseded"]
Source = Literal["person", "reconciliation", "intake", "agent", "ticket"]
SOURCES: tuple[Source, ...] = ("person", "reconciliation", "intake", "agent", "ticket")
# What a commitment's file can say of itself; that CI verified a signature is for CI to say.
Pledge = Literal["terminal", "session", "signed"]
PLEDGES: tuple[Pledge, ...] = get_args(Pledge)


@dataclass(frozen=True, slots=True)
class Frozen:
    """What a commitment freezes of an atom."""

    intent: str
    category: Category = "functional"
    outcomes: tuple[str, ...] = ()
    falsified_by: tuple[str, ...] = ()

    def hash(self) -> str:
        """The frozen hash: of intent, category, outcomes and falsifiers."""
        return _hash(self)


@lru_cache(maxsize=50_000)  # an atom and its commitment hold the same words, and several rules ask for both
def _hash(words: Frozen) -> str:
    return digest(
        {
            "intent": words.intent,
            "category": words.category,
            "outcomes": list(words.outcomes),
            "falsified_by": list(words.falsified_by),
        }
    )


@dataclass(frozen=True, slots=True)
class Atom:
    """One observable behaviour that somebody declared.

    `path` and `line` say where the table stands in the pact; they are for display and never part of the content.
    `reason` says why an abandoned atom was given up.
    """

    id: str
    intent: str
    category: Category = "functional"
    outcomes: tuple[str, ...] = ()
    falsified_by: tuple[str, ...] = ()
    status: WrittenStatus = "draft"
    origin: str | None = None
    source: Source = "person"
    recommendation: str | None = None
    tags: tuple[str, ...] = ()
    supersedes: str | None = None
    reason: str | None = None
    path: str = ""
    line: int = 0

    def frozen(self) -> Frozen:
        """The part that a commitment freezes."""
        return Frozen(self.intent, self.category, self.outcomes, self.falsified_by)

    def frozen_hash(self) -> str:
        """Hash what a commitment freezes."""
        return self.frozen().hash()


Lens = Literal["feature", "user_story", "journey", "epic", "capability", "release", "change_set"]
LENSES: tuple[Lens, ...] = get_args(Lens)


@dataclass(frozen=True, slots=True)
class Molecule:
    """A named grouping of atoms that a person keeps; computed groupings are views and never stored.

    `molecules` are those it holds. `lens` says from which side it looks at its atoms; a `change_set` holds what is to
    be reviewed and committed together, and `tests` are those that such a change concerns.
    """

    id: str
    name: str
    atoms: tuple[str, ...]
    description: str = ""
    lens: Lens | None = None
    molecules: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    path: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Clarification:
    """A question about an atom with its answer; it explains the atom's words and never changes them."""

    id: str
    atom: str
    question: str
    answer: str
    by: str
    at: str
    path: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Commitment:
    """The immutable human act that froze atoms.

    `frozen` holds by atom id the frozen hash at that moment, `words` the words themselves, `replaces` the atom that
    each new one takes the place of. `after` holds the commitments that this one was made on top of, with their hashes.
    """

    id: str
    frozen: Mapping[str, str] = field(hash=False)
    by: str
    at: str
    assurance: Pledge = "terminal"
    signature: str | None = None
    overrides: Mapping[str, str] | None = field(default=None, hash=False)
    words: Mapping[str, Frozen] = field(default_factory=dict, hash=False)
    replaces: Mapping[str, str] = field(default_factory=dict, hash=False)
    after: Mapping[str, str] = field(default_factory=dict, hash=False)
    path: str = ""
    line: int = 0
