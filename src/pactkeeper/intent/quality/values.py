"""The values that make up a judgement of an atom's words."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final, Literal

from pactkeeper.intent.atoms import Atom, Category
from pactkeeper.intent.pact import Settings
from pactkeeper.intent.tests import leaf

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
LEAST: Final = (2, 3)  # the share of a criterion's points below which words are weak
OPEN: Final[Criterion] = "clear success criteria"  # may be weak: outcomes can follow later


@dataclass(frozen=True, slots=True)
class AtomWords:
    """The words of an atom that quality is judged by; `name` is that of the test they were first said of."""

    intent: str
    outcomes: tuple[str, ...] = ()
    falsified_by: tuple[str, ...] = ()
    category: Category = "functional"
    name: str = ""

    @classmethod
    def of(cls, atom: Atom) -> AtomWords:
        """The words of an atom of the pact."""
        return cls(atom.intent, atom.outcomes, atom.falsified_by, atom.category, leaf(atom.origin or ""))


@dataclass(frozen=True, slots=True)
class QualityVocabulary:
    """A project's vocabulary: `pact.toml [quality]`.

    `domain_terms` are never vague, code or test jargon, `vague_words` are vague here in addition to the built-in ones,
    and `clear_words` are built-in vague words with a clear meaning here. Words are approved from a score of
    `threshold`.
    """

    domain_terms: tuple[str, ...] = ()
    vague_words: tuple[str, ...] = ()
    clear_words: tuple[str, ...] = ()
    threshold: int = APPROVE

    @classmethod
    def of(cls, settings: Settings) -> QualityVocabulary:
        """Return the vocabulary from a project's settings."""
        own = (settings.quality_domain_terms, settings.quality_vague_words, settings.quality_clear_words)
        return cls(*own, settings.quality_threshold)


DEFAULT: Final = QualityVocabulary()


@dataclass(frozen=True, slots=True)
class Deduction:
    """Points deducted, with the words they are deducted for; `words` is empty if something is missing.

    `place` and `at` locate the words; `at` is the index of the outcome or falsifier, from 0. A `hint` is about words
    that are often vague, or about grammar, which rules can only guess: no commitment is refused for it.
    """

    points: int
    words: str
    why: str
    suggestion: str
    place: Place = "intent"
    at: int = 0
    hint: bool = False

    @property
    def said(self) -> str:
        """The words and why they cost points."""
        return f"{self.words!r}: {self.why}" if self.words else self.why


@dataclass(frozen=True, slots=True)
class Dimension:
    """One criterion: its remaining points, its maximum, and the deductions."""

    name: Criterion
    points: int
    most: int
    deductions: tuple[Deduction, ...] = ()

    @classmethod
    def of(cls, name: Criterion, deductions: tuple[Deduction, ...]) -> Dimension:
        """Return a criterion with what the deductions leave of its points."""
        return cls(name, max(0, MOST[name] - sum(one.points for one in deductions)), MOST[name], deductions)

    def without_hints(self) -> Dimension:
        """Return the criterion as if no deduction were a hint."""
        sure = tuple(one for one in self.deductions if not one.hint)
        return self if len(sure) == len(self.deductions) else self.of(self.name, sure)

    @property
    def is_weak(self) -> bool:
        """Whether so many points are gone that good marks elsewhere do not compensate."""
        part, whole = LEAST
        return self.points * whole < self.most * part


@dataclass(frozen=True, slots=True)
class Quality:
    """The quality of an atom's words, 0 to 100; `language` names one the rules do not read, otherwise it is empty."""

    score: int
    verdict: Verdict
    dimensions: tuple[Dimension, ...] = field(default=())
    language: str = ""

    @property
    def judged(self) -> bool:
        """Whether the rules could read the words; unreadable words never reach `approve`."""
        return not self.language

    def without_hints(self) -> Quality:
        """Return what a commitment is judged by; the verdict stays."""
        kept = tuple(one.without_hints() for one in self.dimensions)
        return replace(self, score=sum(one.points for one in kept), dimensions=kept)

    @property
    def deductions(self) -> tuple[Deduction, ...]:
        """All deductions, in the order of the dimensions."""
        return tuple(one for dimension in self.dimensions for one in dimension.deductions)


def share(name: Criterion, fifths: int) -> int:
    """Return the points for some fifths of a criterion: 1 slight, 2 clear, 3 grave, 5 all of it."""
    return MOST[name] * fifths // FIFTHS


def verdict_of(score: int, threshold: int = APPROVE, dimensions: tuple[Dimension, ...] = ()) -> Verdict:
    """Return the verdict: `approve` from the threshold if no criterion is weak, `revise` from 60, otherwise `reject`.

    Only the success criteria may be weak.
    """
    if score >= threshold and any(one.is_weak for one in dimensions if one.name != OPEN):
        return "revise"
    return "approve" if score >= threshold else "revise" if score >= REVISE else "reject"
