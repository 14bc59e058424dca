"""How many tests passed and failed, as the summaries of test runners say it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Counts:
    """The counts of one summary, with the characters of the output that hold it."""

    passed: int
    failed: int
    skipped: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class _Summary:
    """One runner's summary line; `total` counts all tests where it does not count those that passed.

    A runner that prints one summary a package has `each`, and they are added.
    """

    line: re.Pattern[str]
    passed: str
    failed: str
    skipped: str = r"(?!)"
    total: str = ""
    each: bool = False


def _row(line: str, passed: str, failed: str, skipped: str = r"(?!)", **more: object) -> _Summary:
    return _Summary(re.compile(line, re.MULTILINE), passed, failed, skipped, **more)  # type: ignore[arg-type]


_SUMMARIES: Final = (
    _row(  # cargo
        r"^test result: .*$", r"(?<!\d)(\d++) passed", r"(?<!\d)(\d++) failed", r"(?<!\d)(\d++) ignored", each=True
    ),
    _row(  # jest, vitest
        r"^[ \t]*Tests:? +(?:\d+ \w+[,| ]*)+.*$",
        r"(?<!\d)(\d++) passed",
        r"(?<!\d)(\d++) failed",
        r"(?<!\d)(\d++) (?:skipped|todo|pending)",
    ),
    _row(  # pytest
        r"^(?:=+ )?(?:\d+ \w+, )*\d+ (?:passed|failed|errors?|skipped|deselected|xfailed|xpassed)\b.* in [\d.:]+ ?s.*$",
        r"(?<!\d)(\d++) passed",
        r"(?<!\d)(\d++) (?:failed|errors?)",
        r"(?<!\d)(\d++) skipped",
    ),
    _row(  # maven, gradle
        r"^.*Tests run: \d+, .*$", r"(?!)", r"(?:Failures|Errors): (\d+)", r"Skipped: (\d+)", total=r"Tests run: (\d+)"
    ),
    _row(  # rspec
        r"^\d+ examples?, \d+ failures?.*$",
        r"(?!)",
        r"(?<!\d)(\d++) failures?",
        r"(?<!\d)(\d++) pending",
        total=r"(?<!\d)(\d++) examples?",
    ),
    _row(  # unittest
        r"^Ran \d+ tests? in [^\n]+(?:\n\n?(?:OK|FAILED)[^\n]*)?$",
        r"(?!)",
        r"(?:failures|errors)=(\d+)",
        r"skipped=(\d+)",
        total=r"Ran (\d+)",
    ),
    _row(
        r"^[ \t]*\d+ passing\b[^\n]*(?:\n[ \t]*\d+ (?:pending|failing))*$",
        r"(?<!\d)(\d++) passing",
        r"(?<!\d)(\d++) failing",
        r"(?<!\d)(\d++) pending",
    ),
    _row(r"^OK \(\d+ tests?.*$", r"OK \((\d+)", r"(?!)"),  # phpunit
    _row(r"^(?:Passed|Failed)!.*Passed: +\d+.*$", r"Passed: +(\d+)", r"Failed: +(\d+)", r"Skipped: +(\d+)"),  # dotnet
    _row(r"^# pass \d+\n# fail \d+.*$", r"# pass (\d+)", r"# fail (\d+)"),  # node
)
_GO: Final = re.compile(r"^(?:(?P<ok>ok)|(?P<bad>FAIL))\s+\S+.*$", re.MULTILINE)
_END: Final = 20_000  # characters at the end of an output in which summaries stand


def counts_in(output: str) -> Counts | None:
    """The counts of the last summary in an output, or of all where a runner writes one a package; None if none."""
    start = max(0, len(output) - _END)
    for summary in _SUMMARIES:
        found = list(summary.line.finditer(output, start))
        if found:
            return _added(summary, found if summary.each else found[-1:])
    return _go(output, start)


def _added(summary: _Summary, found: list[re.Match[str]]) -> Counts:
    def add(pattern: str) -> int:
        return sum(int(number[:9]) for one in found for number in re.findall(pattern, one[0]))

    failed, skipped = add(summary.failed), add(summary.skipped)
    passed = max(0, add(summary.total) - failed - skipped) if summary.total else add(summary.passed)
    return Counts(passed, failed, skipped, found[0].start(), found[-1].end())


def _go(output: str, start: int) -> Counts | None:
    """Go counts packages."""
    found = list(_GO.finditer(output, start))
    if not found:
        return None
    bad = sum(1 for one in found if one["bad"])
    return Counts(len(found) - bad, bad, 0, found[0].start(), found[-1].end())
