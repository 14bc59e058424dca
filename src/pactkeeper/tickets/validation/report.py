"""What is wrong with a draft: what is missing, what cannot hold together, and what would make it better."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final, Literal

from pactkeeper.intent.ticket import Choice, Field
from pactkeeper.ledger.canonical import digest
from pactkeeper.ledger.finding import Severity

Against = Literal["draft", "thread", "atom", "invariant"]
SEVERITIES: Final[tuple[Severity, ...]] = ("error", "warning", "info")


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
    """Something that would make a draft better; `words` are those it is about, `rewording` what may stand instead."""

    field: Field
    severity: Severity
    words: str
    message: str
    rewording: str = ""
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
    """All that was found, the gravest of a kind first."""

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


def _sorted(found: Iterable[Suggestion]) -> tuple[Suggestion, ...]:
    return tuple(sorted(dict.fromkeys(found), key=lambda one: SEVERITIES.index(one.severity)))


def with_duplicates(report: Report, found: Iterable[Duplicate]) -> Report:
    """The report with what may be the same already, the nearest first."""
    return replace(report, duplicates=tuple(sorted(found, key=lambda one: (-one.points, one.kind, one.id))))


def report_of(
    missing: Iterable[Missing],
    conflicts: Iterable[Contradiction],
    suggestions: Iterable[Suggestion],
    duplicates: Iterable[Duplicate],
) -> Report:
    """A report in its order: the gravest first, otherwise as it was found, each thing once."""
    contradictions = {one.fingerprint: one for one in conflicts}
    found = Report(
        tuple(sorted(missing, key=lambda one: SEVERITIES.index(one.severity))),
        tuple(sorted(contradictions.values(), key=lambda one: SEVERITIES.index(one.severity))),
        _sorted(suggestions),
    )
    return with_duplicates(found, duplicates)
