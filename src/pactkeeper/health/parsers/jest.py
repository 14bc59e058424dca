"""Jest: what it prints, and `--json`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from pactkeeper.health.parsers import scripts
from pactkeeper.health.parsers.places import Places
from pactkeeper.health.parsers.scripts import script_failure
from pactkeeper.health.parsers.seen import Found, Raw, ReadableOutput, blocks, dedented

_FILE: Final = re.compile(r"^\s*(?:FAIL|PASS)\s+(?:\S+ )??(\S+\.[cm]?[jt]sx?|\S+\.vue)(?: \([\d.]+ m?s\))?(?: \[.*)?$")
_TITLE: Final = re.compile(r" {2}● (.+)$")
_COUNTS: Final = re.compile(r"^Tests: .*?(?<!\d)(\d++) total")
_FAILED: Final = re.compile(r"(?:Tests|Test Suites): +(?:(\d+) failed)?")
_THRESHOLD: Final = re.compile(r"Jest: .{0,200}coverage threshold.{0,200} not met")
_SUITE: Final = "Test suite failed to run"
_NO_FAILURE: Final = ("Console", "Deprecation Warning", "Validation Warning")
_END: Final = ("Test Suites:", "Tests: ", "Snapshots:", "Summary of all failing tests", "Ran all test suites")
JOIN: Final = " › "


def read(view: ReadableOutput) -> Found:
    """Every failing test, and every file that fails as a whole."""
    found = scripts.read(view, JOIN)
    if found is not None:
        return found
    raws = list(_failures(view.lines, view.places))
    raws += [Raw(line.strip(), rule="coverage") for line in view.lines if _THRESHOLD.match(line)]
    return scripts.summed(raws, view.lines, _COUNTS, _FAILED, none="No tests found, exiting")


def _failures(lines: Sequence[str], places: Places) -> Iterator[Raw]:
    file = ""
    for head, body in blocks(
        lines, lambda line: _TITLE.match(line) or _FILE.match(line), lambda line: line.startswith(_END)
    ):
        if head.re is _FILE:
            file = head[1]
        else:
            yield _failure(file, head[1].strip(), body, places)


def _failure(file: str, title: str, lines: list[str], places: Places) -> Raw:
    if title.startswith(_NO_FAILURE):
        return Raw(dedented(lines), "info", file=file)
    raw = script_failure(dedented(lines).split("\n"), file)
    raw.test = "" if title == _SUITE else f"{places.file(file)}{JOIN}{title}"
    return raw
