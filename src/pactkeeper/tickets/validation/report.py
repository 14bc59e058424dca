"""What is wrong with a draft: what is missing, what cannot hold together, and what would make it better.

Whether the criteria of a draft can be tested, by the rules that judge the words of atoms.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from pactkeeper.intent.atomicity import joints
from pactkeeper.intent.quality import AtomWords, QualityVocabulary, assess
from pactkeeper.intent.quality.values import share
from pactkeeper.intent.reading.tokens import foreign_language, stopped
from pactkeeper.intent.ticket import Choice, Draft, Field
from pactkeeper.ledger.canonical import digest
from pactkeeper.ledger.finding import Severity

Against = Literal["draft", "thread", "atom", "invariant"]


@dataclass(frozen=True, slots=True)
class Missing:
    """A field that has to be filled; `unknown` where somebody said that nobody knows, so that it is not asked again."""

    field: Field
    severity: Severity
    message: str
    unknown: bool = False


@dataclass(frozen=True, slots=True)
class ContradictionSide:
    """One side of a contradiction: its words, and where they stand: a person, an atom, another thread."""

    value: str
    where: str
    permalink: str = ""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two sayings that cannot both hold; a person chooses among `choices`, `settled` being what one chose already.

    `key` names the constraint, where it is about one. Rules flag candidates; an error keeps a draft from preview.
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
        """The same while both sides say the same, whoever stands first."""
        other = "" if self.against == "draft" else self.b.where
        return "cf-" + digest([self.against, self.field, self.key, other, *sorted((self.a.value, self.b.value))])[3:19]


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Something that would make a draft better; `words` are those it is about."""

    field: Field
    severity: Severity
    words: str
    message: str
    source: str = "rules"


@dataclass(frozen=True, slots=True)
class Duplicate:
    """What may be the same already: an open ticket, another draft, an atom; it is shown and blocks nothing."""

    kind: Literal["ticket", "draft", "atom"]
    id: str
    title: str
    points: int
    url: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """All that was found, in the order in which it was."""

    missing: tuple[Missing, ...] = ()
    conflicts: tuple[Contradiction, ...] = ()
    suggestions: tuple[Suggestion, ...] = ()
    duplicates: tuple[Duplicate, ...] = ()

    @property
    def open_conflicts(self) -> tuple[Contradiction, ...]:
        """The contradictions that nobody settled."""
        return tuple(one for one in self.conflicts if one.settled is None)

    @property
    def blocks(self) -> bool:
        """Whether something keeps the draft from being previewed for approval."""
        lacking, conflicts = (one.severity for one in self.missing), (one.severity for one in self.open_conflicts)
        return "error" in {*lacking, *conflicts}


_STEPS: Final = re.compile(
    r"(?:given (?P<given>.{1,300}?),? )?when (?P<when>.{1,300}?),? then (?P<then>.+)", re.IGNORECASE
)


def as_fact(criterion: str) -> str:
    """A criterion as the sentence of an atom: a scenario as its condition with what follows."""
    steps = _STEPS.fullmatch(criterion)
    return f"When {steps['when']}, {steps['then']}" if steps else stopped(criterion)


def cannot_be_tested(criterion: str, vocabulary: QualityVocabulary) -> str:
    """Why nobody could tell that a criterion does not hold; empty where one could, or where rules cannot read it."""
    if foreign_language(criterion):
        return ""
    (said,) = (one for one in assess(AtomWords(as_fact(criterion)), vocabulary).dimensions if one.name == "falsifiable")
    worst = max(said.deductions, key=lambda one: one.points, default=None)
    if worst is None or worst.points < share(said.name, 2) or worst.words in {"", as_fact(criterion)}:
        return ""
    return f"{worst.words!r} {worst.why}"


def criteria(draft: Draft, vocabulary: QualityVocabulary) -> Iterator[Suggestion]:
    """What would make criteria testable: values for vague words, one behaviour each, a sentence for a fragment."""
    for said in draft.acceptance_criteria:
        yield from _criterion(said.value, vocabulary)


def _criterion(text: str, vocabulary: QualityVocabulary) -> Iterator[Suggestion]:
    field: Field = "acceptance_criteria"
    language = foreign_language(text)
    if language:
        yield Suggestion(field, "info", text, f"not judged: the rules read English, and this looks like {language}")
        return
    vague = cannot_be_tested(text, vocabulary)
    if vague:
        yield Suggestion(field, "warning", text, f"cannot be tested: {vague}")
        return
    joined = joints(text)
    if joined and not _STEPS.fullmatch(text):
        yield Suggestion(field, "info", text, f"may say several behaviours: {joined[0]!r}")
