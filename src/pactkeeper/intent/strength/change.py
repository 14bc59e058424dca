"""One thing that happened to what a test notices, and the two states of a test that it is read from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from pactkeeper.intent.strength.facts import Fact, Strength
from pactkeeper.intent.strength.render import shown

Kind = Literal[
    "deleted",
    "skipped",
    "hollow",
    "removed",
    "loosened",
    "conditional",
    "unawaited",
    "mocked",
    "expectation",
    "subject",
    "changed",
    "unread",
    "switched_off",
    "stronger",
]
Severity = Literal["error", "warning", "note"]
SEVERITIES: Final[Mapping[Kind, Severity]] = {
    "deleted": "error",
    "skipped": "error",
    "hollow": "error",
    "removed": "error",
    "loosened": "error",
    "conditional": "error",
    "unawaited": "error",
    "mocked": "error",
    "expectation": "warning",
    "subject": "warning",
    "changed": "warning",
    "unread": "note",
    "switched_off": "error",
    "stronger": "note",
}


@dataclass(frozen=True, slots=True)
class Paired:
    """One test in both states; None on the side where it is not. `before` and `after` are its ids."""

    before: str
    after: str
    old: Strength | None
    new: Strength | None


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that happened to what a test notices: the facet before and after, and where the later one stands."""

    kind: Kind
    test: str
    message: str
    old: str = ""
    new: str = ""
    line: int = 0
    severity: Severity = "error"
    before: str = ""


def change_of(kind: Kind, pair: Paired, message: str, *, old: str = "", new: str = "", line: int = 0,  # noqa: PLR0913
            severity: Severity | None = None) -> Change:  # fmt: skip
    """A change of one test; its kind says how bad it is where nothing else does."""
    return Change(kind, pair.after or pair.before, message, old, new, line, severity or SEVERITIES[kind], pair.before)


def facet_change(  # noqa: PLR0913, PLR0917 - what happened, where, and both facets
    kind: Kind, pair: Paired, message: str, fact: Fact, other: Fact, *, severity: Severity | None = None
) -> Change:
    """A change of one assertion into another, with both facets."""
    return change_of(kind, pair, message, old=shown(fact), new=shown(other), line=other.line, severity=severity)
