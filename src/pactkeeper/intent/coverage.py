"""What coverage tools report, in one shape: which lines of which files ran, and by which tests where that is known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from pactkeeper.intent.results import Case

Span = tuple[int, int]  # first and last line, counted from 1, both included
Spans = tuple[Span, ...]
NOT_KNOWN: Final = 0  # the last line of a function where a format does not say it


@dataclass(frozen=True, slots=True)
class FunctionCoverage:
    """One function of a file: where it begins and ends (`NOT_KNOWN` where not said), and whether anything in it ran."""

    name: str
    line: int
    end: int
    ran: bool


@dataclass(frozen=True, slots=True)
class FileCoverage:
    """The lines of one file that hold code: `hit` of `total` ran; a summary has these counts and no spans."""

    covered: Spans
    missing: Spans
    total: int
    hit: int
    functions: tuple[FunctionCoverage, ...] = ()

    @property
    def detailed(self) -> bool:
        """Whether it is known which lines the counts are about."""
        return self.total == 0 or bool(self.covered or self.missing)


@dataclass(frozen=True, slots=True)
class TestLines:
    """The lines that one test ran, by path."""

    __test__ = False  # keeps pytest from taking this class for a suite where a test imports it

    case: Case
    files: Mapping[str, Spans]


@dataclass(frozen=True, slots=True)
class Coverage:
    """One report: its file's name and format, the files by path as the report writes them, and what each test ran.

    `by_test` is empty where the report does not tell tests apart.
    """

    source: str
    form: str
    files: Mapping[str, FileCoverage]
    by_test: tuple[TestLines, ...] = ()

    @property
    def totals(self) -> tuple[int, int]:
        """Lines that ran, and lines that hold code, over all files."""
        return sum(one.hit for one in self.files.values()), sum(one.total for one in self.files.values())


def spans(lines: Iterable[int]) -> Spans:
    """Sort lines and join those that follow each other."""
    found: list[Span] = []
    for line in sorted(set(lines)):
        if found and found[-1][1] == line - 1:
            found[-1] = (found[-1][0], line)
        else:
            found.append((line, line))
    return tuple(found)


def detailed(hits: Mapping[int, int], functions: Iterable[FunctionCoverage] = ()) -> FileCoverage:
    """A file's coverage from how often each line ran."""
    covered = [line for line, count in hits.items() if count > 0]
    missing = [line for line, count in hits.items() if count <= 0]
    ordered = tuple(sorted(functions, key=lambda one: (one.line, one.name)))
    return FileCoverage(spans(covered), spans(missing), len(hits), len(covered), ordered)


def percent(hit: int, total: int) -> str:
    """A share as text with one decimal, rounded down so that only all is 100; `-` of nothing."""
    tenths = hit * 1000 // total if total else 0
    return f"{tenths // 10}.{tenths % 10}" if total else "-"
