"""A check's own pattern: a regular expression with named groups, tried on each line.

Python cannot interrupt a regular expression, and some take exponential time; so it runs in a process of its own, which
is ended when its time is over.
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
LONGEST: Final = 1_000  # characters of a line that the pattern gets to see
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
    """Why a pattern cannot be used, as a clause; empty where it can."""
    try:
        compiled = re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        return f"is no regular expression: {error}"
    unknown = [name for name in compiled.groupindex if name not in GROUPS]
    if unknown:
        return f"has the group {unknown[0]!r}; known are {', '.join(GROUPS)}"
    if not {"file", "message"} & set(compiled.groupindex):
        return "has neither a group 'file' nor a group 'message', so it would say nothing"
    return ""


def read(view: ReadableOutput) -> Found:
    """Each line that the pattern finds something in; raises InputError where it is no usable pattern."""
    problem = problem_of(view.pattern)
    if problem:
        raise InputError(f"the pattern {view.pattern!r} {problem}; correct it in pact.toml")
    matched = search(view.pattern, view.lines)
    if matched is None:
        words = f"the pattern took more than {SECONDS} seconds; make it simpler"
        return Found(hint=Hint("could not run", words))
    return Found([_raw(groups) for groups in matched])


def search(pattern: str, lines: Iterable[str], *, seconds: float = SECONDS) -> list[dict[str, Any]] | None:
    """The groups of each line's first match, the whole match under ""; None where `seconds` were not enough."""
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
