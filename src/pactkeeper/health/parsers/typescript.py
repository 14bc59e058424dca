"""The TypeScript compiler, with and without `--pretty`, and ESLint, whose output all counts as lint."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pactkeeper.health.parsers.seen import GAP, Found, Raw, ReadableOutput, clean, count, json_value
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


_STYLISH: Final = re.compile(r" +(\d+):(\d+) +(error|warning) +(\S.*)$")
_RULE: Final = re.compile(r"(?P<message>.*\S) {2,}(?P<rule>\S+)$")
_UNIX: Final = re.compile(r"(\S.*?):(\d+):(\d+): (.*) \[(Error|Warning)(?:/(\S+))?\]$")
_NAME: Final = re.compile(r"'([\w$.]+)'")
_ERROR: Final = 2  # ESLint's severity number for errors


def read_eslint(view: ReadableOutput) -> Found:
    """Return every problem; one without a rule is a parse error."""
    text = (view.report or b"").decode("utf-8", "replace") or view.text
    start = text.lstrip()
    if start.startswith("["):
        whole = _json(start)
        if whole is not None:
            return Found(whole)
    return Found(list(_lines(view)))


def _json(text: str) -> list[Raw] | None:
    files = json_value(text)  # if truncated or another tool's text, the lines are read instead
    if not isinstance(files, list):
        return None
    return [raw for file in files if isinstance(file, dict) for raw in _file(file)]


def _file(file: dict[str, Any]) -> Iterator[Raw]:
    messages = file.get("messages")
    for one in messages if isinstance(messages, list) else ():
        if isinstance(one, dict):
            severity: Severity = "error" if one.get("severity") == _ERROR else "warning"
            raw = _problem(str(one.get("message", "")), severity, str(one.get("ruleId") or ""))
            raw.file = str(file.get("filePath", ""))
            raw.line, raw.column = count(str(one.get("line", ""))), count(str(one.get("column", "")))
            yield raw


def _lines(view: ReadableOutput) -> Iterator[Raw]:
    file = ""
    for line in view.lines:
        if not line.startswith(" "):
            unix = _UNIX.match(line) if line.endswith("]") else None
            if unix:
                raw = _problem(unix[4], "error" if unix[5] == "Error" else "warning", unix[6] or "")
                raw.file, raw.line, raw.column = unix[1], count(unix[2]), count(unix[3])
                yield raw
            file = line.strip() or file
        elif hit := _STYLISH.match(line):
            rule = _RULE.match(hit[4])
            message, name = (rule["message"], rule["rule"]) if rule else (hit[4].strip(), "")
            raw = _problem(message, "error" if hit[3] == "error" else "warning", name)
            raw.file, raw.line, raw.column = file, count(hit[1]), count(hit[2])
            yield raw


def _problem(message: str, severity: Severity, rule: str) -> Raw:
    text = clean(message).removesuffix(".")
    hit = _NAME.search(text)
    return Raw(text, severity, rule, symbol=hit[1] if hit else "", category="lint")
