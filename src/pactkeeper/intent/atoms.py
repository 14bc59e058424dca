"""Atoms, molecules and commitments as values; status is derived here and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

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


@dataclass(frozen=True, slots=True)
class Atom:
    """One observable behaviour that somebody declared.

    `path` and `line` say where the table stands in the pact; they are for display and never part of the content.
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
    path: str = ""
    line: int = 0

    def frozen_hash(self) -> str:
        """Hash what a commitment freezes: intent, category, outcomes and falsifiers."""
        return digest(
            {
                "intent": self.intent,
                "category": self.category,
                "outcomes": list(self.outcomes),
                "falsified_by": list(self.falsified_by),
            }
        )


@dataclass(frozen=True, slots=True)
class Molecule:
    """A named grouping of atoms that a person keeps; computed groupings are views and never stored."""

    id: str
    name: str
    atoms: tuple[str, ...]
    description: str = ""
    path: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Commitment:
    """The immutable human act that froze atoms; `frozen` maps atom id to the frozen hash at that moment."""

    id: str
    frozen: Mapping[str, str]
    by: str
    at: str
    assurance: Literal["terminal", "signed", "ci-verified"] = "terminal"
    signature: str | None = None
    overrides: Mapping[str, str] | None = None
    path: str = ""
    line: int = 0
