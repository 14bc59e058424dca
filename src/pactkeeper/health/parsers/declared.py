"""A check's own pattern: a regular expression with named groups, applied to each line.

Python can't interrupt a regular expression, and some take exponential time, so it runs in a separate process that is
killed when its time is up.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from typing import Any, Final

from pactkeeper.errors import InputError
from pactkeeper.health.parsers.seen import Found, Hint, Raw, ReadableOutput, count
from pactkeeper.ledger.finding import Severity

GROUPS: Final = ("file", "line", "column", "rule", "message", "severity", "symbol", "test")
LONGEST: Final = 1_000  # characters of a line that the pattern is applied to
SECONDS: Final = 10
_SEVERITIES: Final[Mapping[str, Severity]] = {
    "warning": "warning",
    "warn": "warning",
    "note": "info",
    "info": "info",
    "information": "info",
    "hint": "info",
    "style": "info",
}
_CHILD: Final = """
import json, re, sys
pattern, lines = json.load(sys.stdin)
search = re.compile(pattern).search
json.dump([hit.groupdict() | {"": hit[0]} for hit in map(search, lines) if hit], sys.stdout)
"""


def problem_of(pattern: str) -> str:
    """Return why a pattern can't be used, as a clause; empty if it can."""
    try:
        compiled = re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        return f"is not a regular expression: {error}"
    unknown = [name for name in compiled.groupindex if name not in GROUPS]
    if unknown:
        return f"has the group {unknown[0]!r}; known are {', '.join(GROUPS)}"
    if not {"file", "message"} & set(compiled.groupindex):
        return "has neither a group 'file' nor a group 'message', so it would report nothing"
    return ""


def read(view: ReadableOutput) -> Found:
    """Return one diagnostic per matching line; raises InputError if the pattern is unusable."""
    problem = problem_of(view.pattern)
    if problem:
        raise InputError(f"the pattern {view.pattern!r} {problem}; correct it in pact.toml")
    matched = search(view.pattern, view.lines)
    if matched is None:
        words = f"the pattern took more than {SECONDS} seconds; make it simpler"
        return Found(hint=Hint("could not run", words))
    return Found([_raw(groups) for groups in matched])


def search(pattern: str, lines: Iterable[str], *, seconds: float = SECONDS) -> list[dict[str, Any]] | None:
    """Return the groups of each line's first match, with the whole match under ""; None on timeout."""
    given = json.dumps([pattern, [line[:LONGEST] for line in lines if line]])
    try:
        child = subprocess.run(
            [sys.executable, "-I", "-S", "-c", _CHILD],
            input=given,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=seconds,
            check=True,
        )
    except subprocess.TimeoutExpired:
        return None
    found: list[dict[str, Any]] = json.loads(child.stdout)
    return found


def _raw(groups: Mapping[str, Any]) -> Raw:
    said = {name: str(value or "") for name, value in groups.items()}
    severity = _SEVERITIES.get(said.get("severity", "").casefold(), "error")
    raw = Raw(said.get("message") or said[""], severity, said.get("rule", ""), said.get("test", ""))
    raw.file, raw.line, raw.column = said.get("file", ""), count(said.get("line", "")), count(said.get("column", ""))
    raw.symbol = said.get("symbol", "")
    return raw
