"""The TypeScript compiler, with and without `--pretty`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from pactkeeper.health.parsers.seen import GAP, Found, Raw, ReadableOutput, count
from pactkeeper.ledger.finding import Severity

_HEAD: Final = re.compile(
    r"(?:(?P<file>\S.*?)(?:\((?P<line>\d+),(?P<column>\d+)\): |:(?P<row>\d+):(?P<place>\d+) - ))?"
    r"(?P<kind>error|warning|message) (?P<rule>TS\d+): (?P<message>.*)"
)
_SEVERITIES: Final[Mapping[str, Severity]] = {"error": "error", "warning": "warning", "message": "info"}
_ELSEWHERE: Final = re.compile(r" {2,4}(\S.*?):(\d+):(\d+)(?: - .*)?$")


def read_tsc(view: ReadableOutput) -> Found:
    """Return every error; indented lines that follow belong to its message."""
    return Found(read_lines(view.lines))


def read_lines(lines: Sequence[str]) -> list[Raw]:
    """Return the errors among the lines of another tool."""
    found: list[Raw] = []
    inside = False
    for line in lines:
        hit = _HEAD.match(line) if " TS" in line else None
        if hit is not None:
            found.append(_raw(hit))
            inside = True
        else:
            inside = bool(found) and GAP not in line and _continues(line, found[-1], inside=inside)
    return found


def _raw(hit: re.Match[str]) -> Raw:
    line, column = hit["line"] or hit["row"] or "", hit["column"] or hit["place"] or ""
    return Raw(
        hit["message"],
        _SEVERITIES[hit["kind"]],
        hit["rule"],
        file=hit["file"] or "",
        line=count(line),
        column=count(column),
        compiled=True,
        family="typescript",
    )


def _continues(line: str, raw: Raw, *, inside: bool) -> bool:
    """Add a line to the error above it: as message, returning True, or with `--pretty` as a related place."""
    elsewhere = _ELSEWHERE.match(line)
    if elsewhere is not None:
        raw.related = (*raw.related, elsewhere[1])
        return False
    if inside and line.startswith("  ") and line.strip():
        raw.message = f"{raw.message}\n{line.rstrip()}"
        return True
    return False
