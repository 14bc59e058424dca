"""Reading one report: its bytes, the problems found in it, and the numbers that tools write in their own ways."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Final

from pactkeeper.errors import Problem, ReportError
from pactkeeper.repo.named_file import read_named

MOST_BYTES: Final = 256 << 20
MOST_PROBLEMS: Final = 50
MOST_CASES: Final = 1_000_000
_TOO_LARGE: Final = (
    "split the run by test folder, or, for contexts of coverage.py, give its data file .coverage instead of JSON"
)
_LONGEST: Final = Decimal(10) ** 9  # seconds; no run takes thirty years
_THOUSANDS: Final = re.compile(r"\d{1,3}(,\d{3})+(\.\d+)?")
_ESCAPES: Final = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


@dataclass(frozen=True, slots=True)
class Report:
    """A file that a tool wrote: the name to call it by, and its bytes."""

    name: str
    data: bytes


def load(path: Path, name: str) -> Report:
    """Read a report from disk; raises InputError for what is no readable regular file of at most `MOST_BYTES`."""
    return Report(name, read_named(path, f"the report {name!r}", most=MOST_BYTES, advice=_TOO_LARGE))


@dataclass(slots=True)
class ReportFaults:
    """What is wrong with one report so far; nothing of a report with problems is used."""

    name: str
    problems: list[Problem] = field(default_factory=list)
    count: int = 0

    def note(self, line: int, message: str) -> None:
        """Remember a problem; beyond `MOST_PROBLEMS` they are only counted."""
        self.count += 1
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(Problem(self.name, line, message))

    def stop(self, line: int, message: str) -> ReportError:
        """The error to raise where reading cannot go on, with all problems so far."""
        self.note(line, message)
        return ReportError(tuple(self.problems), self.count)

    def finish(self) -> None:
        """Raise ReportError where a problem was found."""
        if self.count:
            raise ReportError(tuple(self.problems), self.count)


def milliseconds(text: str, per_unit: int = 1000) -> int | None:
    """A time as runners write it, `per_unit` milliseconds a unit; None where it is no time.

    Commas group thousands where they can, as Surefire writes them, and are a decimal sign otherwise.
    """
    text = text.strip()
    plain = text.replace(",", "") if _THOUSANDS.fullmatch(text) else text.replace(",", ".")
    try:
        number = Decimal(plain)
    except InvalidOperation:
        return None
    if not number.is_finite() or not 0 <= number <= _LONGEST * 1000:
        return None
    return int((number * per_unit).to_integral_value())


def without_escapes(text: str) -> str:
    """A message without the colours of a terminal."""
    return _ESCAPES.sub("", text)
