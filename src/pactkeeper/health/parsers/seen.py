"""What a parser gets to see and what it gives back, as values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from pactkeeper.health.parsers.places import Places
from pactkeeper.intent.health import CheckCategory, Diagnostic
from pactkeeper.ledger.finding import Severity

HintVerdict = Literal["not applicable", "could not run", "could not tell"]
NO_TESTS: Final = "no tests ran"
# Stands on a line of its own where the middle of an output is missing; every block of text ends there.
GAP: Final = "bytes left out …"


@dataclass(frozen=True, slots=True)
class CheckOutput:
    """What is there after a check ran.

    `text` is what it printed, which may miss its middle; `report` the bytes of the file it was told to write. `roots`
    are absolute paths under which the tool may have seen the tree, `files` the paths below the root that exist, where
    they are known: partial names such as `CartTest.java` are completed from them. `failed` says whether the check did.
    """

    text: str
    report: bytes | None = None
    roots: tuple[str, ...] = ()
    files: frozenset[str] = frozenset()
    failed: bool = True


@dataclass(frozen=True, slots=True)
class Hint:
    """Why an output says nothing about the commit: `reason` is a clause for people."""

    verdict: HintVerdict
    reason: str


@dataclass(frozen=True, slots=True)
class Parsed:
    """What an output says; `tests_seen` tests ran at least, skipped ones included, None where that is not said."""

    diagnostics: tuple[Diagnostic, ...] = ()
    tests_seen: int | None = None
    verdict_hint: Hint | None = None


@dataclass(frozen=True, slots=True)
class Frame:
    """One line of a stack as a tool writes it; numbers count from 1, 0 for none."""

    file: str
    line: int = 0
    column: int = 0


@dataclass(slots=True)
class Raw:
    """A diagnostic as a tool writes it.

    `frames` go from the deepest outwards: the first one inside the project becomes the place, the files of the others
    are related. `modules` are related modules in the tool's own notation, and `compiled` says that a compiler said it.
    """

    message: str
    severity: Severity = "error"
    rule: str = ""
    test: str = ""
    file: str = ""
    line: int = 0
    column: int = 0
    symbol: str = ""
    related: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    frames: Sequence[Frame] = ()
    category: CheckCategory | None = None
    compiled: bool = False


@dataclass(slots=True)
class Found:
    """What one parser read: diagnostics as they came, the number of tests, and why there may be none.

    `failed` is how many the tool's own summary calls failed, None where it has none: a passing test may print anything.
    """

    raw: list[Raw] = field(default_factory=list)
    tests: int | None = None
    hint: Hint | None = None
    failed: int | None = None


@dataclass(frozen=True, slots=True)
class ReadableOutput:
    """An output made readable: no colours, lines of bounded length, and the paths of the project."""

    text: str
    lines: Sequence[str]
    report: bytes | None
    places: Places
    pattern: str = ""


Parser = Callable[[ReadableOutput], Found]
