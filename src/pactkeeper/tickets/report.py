"""The findings on a draft: what is missing, what contradicts something, and what would improve it.

Also judges whether criteria can be tested, with the rules for the wording of atoms.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from pactkeeper.intent.quality import AtomWords, QualityVocabulary, assess
from pactkeeper.intent.quality.values import share
from pactkeeper.intent.ticket import Choice, Draft, Field
from pactkeeper.intent.wording.tokens import foreign_language, joints, stopped
from pactkeeper.ledger.canonical import digest
from pactkeeper.ledger.finding import Severity

Against = Literal["draft", "thread", "atom", "invariant"]


@dataclass(frozen=True, slots=True)
class MissingField:
    """A field that must be filled; `unknown` if somebody said that nobody knows, so that it isn't asked again."""

    field: Field
    severity: Severity
    message: str
    unknown: bool = False


@dataclass(frozen=True, slots=True)
class ContradictionSide:
    """One side of a contradiction: its words, and their source: a person, an atom or another thread."""

    value: str
    where: str
    permalink: str = ""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two statements that can't both hold; a person picks one of `choices`, and `settled` is an earlier pick.

    `key` names the constraint, if it is about one. Rules only flag candidates; an error blocks the preview.
    """

    against: Against
    field: Field
    a: ContradictionSide
    b: ContradictionSide
    message: str
    choices: tuple[Choice, ...]
    severity: Severity = "error"
    key: str = ""
    settled: Choice | None = None

    @property
    def fingerprint(self) -> str:
        """Stays the same as long as both sides say the same, in either order."""
        other = "" if self.against == "draft" else self.b.where
        return "cf-" + digest([self.against, self.field, self.key, other, *sorted((self.a.value, self.b.value))])[3:19]


@dataclass(frozen=True, slots=True)
class DraftSuggestion:
    """A possible improvement to a draft; `words` are what it is about."""

    field: Field
    severity: Severity
    words: str
    message: str
    source: str = "rules"


@dataclass(frozen=True, slots=True)
class Duplicate:
    """A possible duplicate: an open ticket, another draft or an atom; shown for information, never blocking."""

    kind: Literal["ticket", "draft", "atom"]
    id: str
    title: str
    points: int
    url: str = ""


@dataclass(frozen=True, slots=True)
class DraftReport:
    """All findings, in the order in which they were found."""

    missing: tuple[MissingField, ...] = ()
    conflicts: tuple[Contradiction, ...] = ()
    suggestions: tuple[DraftSuggestion, ...] = ()
    duplicates: tuple[Duplicate, ...] = ()

    @property
    def open_conflicts(self) -> tuple[Contradiction, ...]:
        """The contradictions that nobody has settled."""
        return tuple(one for one in self.conflicts if one.settled is None)

    @property
    def blocks(self) -> bool:
        """Whether an error prevents previewing the draft for approval."""
        lacking, conflicts = (one.severity for one in self.missing), (one.severity for one in self.open_conflicts)
        return "error" in {*lacking, *conflicts}


_STEPS: Final = re.compile(
    r"(?:given (?P<given>.{1,300}?),? )?when (?P<when>.{1,300}?),? then (?P<then>.+)", re.IGNORECASE
)


def as_fact(criterion: str) -> str:
    """A criterion as the sentence of an atom: a scenario becomes its condition and its outcome."""
    steps = _STEPS.fullmatch(criterion)
    return f"When {steps['when']}, {steps['then']}" if steps else stopped(criterion)


def cannot_be_tested(criterion: str, vocabulary: QualityVocabulary) -> str:
    """Why a criterion can't be falsified; empty if it can, or if the rules can't read its language."""
    if foreign_language(criterion):
        return ""
    return _worst(criterion, "falsifiable", vocabulary)


def _worst(criterion: str, dimension: str, vocabulary: QualityVocabulary) -> str:
    """The words that cost a criterion at least half of a dimension's points, and why; empty if none do."""
    (said,) = (one for one in assess(AtomWords(as_fact(criterion)), vocabulary).dimensions if one.name == dimension)
    worst = max(said.deductions, key=lambda one: one.points, default=None)
    if worst is None or worst.points < share(said.name, 2) or worst.words in {"", as_fact(criterion)}:
        return ""
    return f"{worst.words!r} {worst.why}"


def criteria(draft: Draft, vocabulary: QualityVocabulary) -> Iterator[DraftSuggestion]:
    """What would make criteria testable: values for vague words, names for pronouns, one behaviour each."""
    for said in draft.acceptance_criteria:
        yield from _criterion(said.value, vocabulary)


def _criterion(text: str, vocabulary: QualityVocabulary) -> Iterator[DraftSuggestion]:
    field: Field = "acceptance_criteria"
    language = foreign_language(text)
    if language:
        yield DraftSuggestion(
            field, "info", text, f"not judged: the rules read English, and this looks like {language}"
        )
        return
    vague = cannot_be_tested(text, vocabulary)
    if vague:
        yield DraftSuggestion(field, "warning", text, f"cannot be tested: {vague}")
        return
    unclear = _worst(text, "unambiguous", vocabulary)
    if unclear:
        yield DraftSuggestion(field, "warning", text, f"is ambiguous: {unclear}")
    joined = joints(text)
    if joined and not _STEPS.fullmatch(text):
        yield DraftSuggestion(field, "info", text, f"may say several behaviours: {joined[0]!r}")
