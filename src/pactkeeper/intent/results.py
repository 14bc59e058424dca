"""Test results in one shape, whatever format the report has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, get_args

from pactkeeper.ledger.canonical import counted

# From least to most telling: a skipped case proves nothing, and one failure outweighs any number of passes.
Outcome = Literal["skipped", "passed", "failed", "error"]
OUTCOMES: Final[tuple[Outcome, ...]] = get_args(Outcome)
FAILING: Final[frozenset[str]] = frozenset({"failed", "error"})
MESSAGE_LENGTH: Final = 500  # characters of a failure's message that are kept


@dataclass(frozen=True, slots=True)
class Case:
    """A report's name for one case.

    `names` are the suites and the name, each as in the source; if `joined`, they are texts into which the format may
    have run suites, module and name together. `file` is a path as the report writes it, empty if it names none; `line`
    counts from 1, 0 if the report has none, and may be anywhere in the declaration.
    """

    names: tuple[str, ...]
    file: str = ""
    line: int = 0
    joined: bool = False

    def __str__(self) -> str:
        """Render as a person would search for it."""
        return "::".join(part for part in (self.file, *self.names) if part)


@dataclass(frozen=True, slots=True)
class TestResult:
    """The result of one case; `message` is the head of the first failure's, `milliseconds` None if not reported."""

    __test__ = False  # keeps pytest from collecting this class in modules that import it

    case: Case
    outcome: Outcome
    milliseconds: int | None = None
    message: str = ""


@dataclass(frozen=True, slots=True)
class Unclear:
    """A case whose result the report does not state, and why."""

    case: Case
    reason: str


@dataclass(frozen=True, slots=True)
class ResultSet:
    """One report: its file's name and format, the results in the report's order, and what it leaves unclear.

    `began` is when the run began, if the report says so with its time zone.
    """

    source: str
    form: str
    results: tuple[TestResult, ...]
    unclear: tuple[Unclear, ...] = ()
    began: datetime | None = None

    @property
    def counts(self) -> Mapping[str, int]:
        """The number of cases by outcome, including zeros."""
        return counted((result.outcome for result in self.results), OUTCOMES)


def worst(outcomes: Iterable[Outcome]) -> Outcome:
    """Return the outcome that represents several cases of one test; `skipped` only if all were skipped."""
    return max(outcomes, key=OUTCOMES.index, default="skipped")


def head(text: str) -> str:
    """Return the part of a message that is stored: its first lines, up to `MESSAGE_LENGTH` characters."""
    lead = text[: 4 * MESSAGE_LENGTH].strip()
    return lead if len(lead) <= MESSAGE_LENGTH else lead[: MESSAGE_LENGTH - 1] + "…"
