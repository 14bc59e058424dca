"""What a judgement of an atom's words is made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal

from pactkeeper.intent.atoms import Atom, Category
from pactkeeper.intent.pact import Settings

Verdict = Literal["approve", "revise", "reject"]
Place = Literal["intent", "outcomes", "falsified_by"]
Criterion = Literal["observable", "falsifiable", "implementation-agnostic", "unambiguous", "clear success criteria"]

MOST: Final[dict[Criterion, int]] = {
    "observable": 25,
    "falsifiable": 25,
    "implementation-agnostic": 20,
    "unambiguous": 15,
    "clear success criteria": 15,
}
FIFTHS: Final = 5
APPROVE, REVISE = 80, 60


@dataclass(frozen=True, slots=True)
class AtomWords:
    """The words of an atom that quality is about."""

    intent: str
    outcomes: tuple[str, ...] = ()
    falsified_by: tuple[str, ...] = ()
    category: Category = "functional"

    @classmethod
    def of(cls, atom: Atom) -> AtomWords:
        """The words of an atom of the pact."""
        return cls(atom.intent, atom.outcomes, atom.falsified_by, atom.category)


@dataclass(frozen=True, slots=True)
class QualityVocabulary:
    """What a project says about words: `pact.toml [quality]`.

    `domain_terms` are never held against an atom as a way of building it, `vague_words` are vague here beside the
    built-in ones, and `clear_words` are built-in vague words that have a clear meaning here. Words are approved from a
    score of `threshold` on.
    """

    domain_terms: tuple[str, ...] = ()
    vague_words: tuple[str, ...] = ()
    clear_words: tuple[str, ...] = ()
    threshold: int = APPROVE

    @classmethod
    def of(cls, settings: Settings) -> QualityVocabulary:
        """The vocabulary that a project's settings give."""
        own = (settings.quality_domain_terms, settings.quality_vague_words, settings.quality_clear_words)
        return cls(*own, settings.quality_threshold)


DEFAULT: Final = QualityVocabulary()


@dataclass(frozen=True, slots=True)
class Deduction:
    """Points taken off, with the words they are taken off for; `words` is empty where something is missing.

    `place` and `at` say where the words stand; `at` counts outcomes or falsifiers from 0.
    """

    points: int
    words: str
    why: str
    suggestion: str
    place: Place = "intent"
    at: int = 0


@dataclass(frozen=True, slots=True)
class Dimension:
    """One criterion: the points that are left of the most there are, and what was taken off."""

    name: Criterion
    points: int
    most: int
    deductions: tuple[Deduction, ...] = ()


@dataclass(frozen=True, slots=True)
class Quality:
    """How good the words of an atom are, 0 to 100; `language` names one that the rules do not read, else is empty."""

    score: int
    verdict: Verdict
    dimensions: tuple[Dimension, ...] = field(default=())
    language: str = ""

    @property
    def judged(self) -> bool:
        """Whether the rules could read the words; what they cannot read never reaches `approve`."""
        return not self.language

    @property
    def deductions(self) -> tuple[Deduction, ...]:
        """All deductions, in the order of the dimensions."""
        return tuple(one for dimension in self.dimensions for one in dimension.deductions)


def share(name: Criterion, fifths: int) -> int:
    """Points for some fifths of a criterion: 1 slight, 2 clear, 3 grave, 5 all of it."""
    return MOST[name] * fifths // FIFTHS


def verdict_of(score: int, threshold: int = APPROVE) -> Verdict:
    """What reaches the threshold may be committed, 60 and more can be revised, less says too little to start from."""
    return "approve" if score >= threshold else "revise" if score >= REVISE else "reject"
