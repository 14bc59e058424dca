"""What test runners report, in one shape: cases with what came of them, whatever file format carried them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

# From the least to the most telling: a skipped case says nothing, and one failure outweighs any number of passes.
Outcome = Literal["skipped", "passed", "failed", "error"]
OUTCOMES: Final[tuple[Outcome, ...]] = ("skipped", "passed", "failed", "error")
FAILING: Final[frozenset[str]] = frozenset({"failed", "error"})
MESSAGE_LENGTH: Final = 500  # characters of a failure's message that are kept


@dataclass(frozen=True, slots=True)
class Case:
    """What a report calls one case.

    `names` are the suites and the name, each as it is in the source; where `joined`, they are texts into which the
    format may have run suites, module and name together. `file` is a path as the report writes it, empty where it
    names none; `line` counts from 1, 0 where the report says none, and may lie anywhere in the declaration.
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
    """What came of one case; `message` is the head of the first failure's, `milliseconds` None where not said."""

    __test__ = False  # keeps pytest from taking this class for a suite where a test imports it

    case: Case
    outcome: Outcome
    milliseconds: int | None = None
    message: str = ""


@dataclass(frozen=True, slots=True)
class Unclear:
    """A case of which the report does not say what came of it, and why."""

    case: Case
    reason: str


@dataclass(frozen=True, slots=True)
class ResultSet:
    """One report: its file's name and format, the results in the report's order, and what it leaves unclear."""

    source: str
    form: str
    results: tuple[TestResult, ...]
    unclear: tuple[Unclear, ...] = ()

    @property
    def counts(self) -> Mapping[str, int]:
        """How many cases came to each outcome, zeros included."""
        return outcome_counts(result.outcome for result in self.results)


def outcome_counts(outcomes: Iterable[Outcome]) -> dict[str, int]:
    """Count outcomes, zeros included, in the order of `OUTCOMES`."""
    found = Counter(outcomes)
    return {name: found[name] for name in OUTCOMES}


def worst(outcomes: Iterable[Outcome]) -> Outcome:
    """The outcome that stands for several cases of one test; `skipped` only where all were."""
    return max(outcomes, key=OUTCOMES.index, default="skipped")


def head(text: str) -> str:
    """The part of a message that is kept: its first lines, up to `MESSAGE_LENGTH` characters."""
    lead = text[: 4 * MESSAGE_LENGTH].strip()
    return lead if len(lead) <= MESSAGE_LENGTH else lead[: MESSAGE_LENGTH - 1] + "…"
