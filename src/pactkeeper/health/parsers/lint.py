"""Linters: ESLint, Ruff, Flake8, Pylint and yamllint; every problem they report counts as lint."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pactkeeper.health.parsers.seen import GAP, Found, Raw, ReadableOutput, clean, count, json_value
from pactkeeper.ledger.finding import Severity

_STYLISH: Final = re.compile(r" +(\d+):(\d+) +(error|warning) +(\S.*)$")
_RULE: Final = re.compile(r"(?P<message>.*\S) {2,}\(?(?P<rule>[^\s()]+)\)?$")
_UNIX: Final = re.compile(r"(\S.*?):(\d+):(\d+): (.*) \[(Error|Warning)(?:/(\S+))?\]$")
_NAME: Final = re.compile(r"['`]([\w$.]+)['`]")
_ERROR: Final = 2  # ESLint's severity number for errors


def read_eslint(view: ReadableOutput) -> Found:
    """Return every problem; one without a rule is a parse error."""
    files = _json(view)
    if files is None:
        return Found(list(_lines(view)))
    return Found([raw for file in files for raw in _file(file)])


def _json(view: ReadableOutput) -> list[dict[str, Any]] | None:
    """Return the objects of a JSON report; None if truncated or another tool's text, whose lines are read instead."""
    text = (view.report or b"").decode("utf-8", "replace") or view.text
    listed = json_value(text.lstrip())
    return [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else None


def _file(file: dict[str, Any]) -> Iterator[Raw]:
    messages = file.get("messages")
    for one in messages if isinstance(messages, list) else ():
        if isinstance(one, dict):
            severity: Severity = "error" if one.get("severity") == _ERROR else "warning"
            at = (str(file.get("filePath", "")), str(one.get("line", "")), str(one.get("column", "")))
            yield _problem(str(one.get("message", "")), severity, str(one.get("ruleId") or ""), at)


def _lines(view: ReadableOutput) -> Iterator[Raw]:
    file = ""
    for line in view.lines:
        if not line.startswith(" "):
            unix = _UNIX.match(line) if line.endswith("]") else None
            if unix:
                severity: Severity = "error" if unix[5] == "Error" else "warning"
                yield _problem(unix[4], severity, unix[6] or "", (unix[1], unix[2], unix[3]))
            file = line.strip() or file
        elif hit := _STYLISH.match(line):
            rule = _RULE.match(hit[4])
            message, name = (rule["message"], rule["rule"]) if rule else (hit[4].strip(), "")
            yield _problem(message, "error" if hit[3] == "error" else "warning", name, (file, hit[1], hit[2]))


def _problem(message: str, severity: Severity, rule: str, at: tuple[str, str, str]) -> Raw:
    """Make a diagnostic; `at` is its file, line and column as printed."""
    text = clean(message).removesuffix(".")
    hit = _NAME.search(text)
    symbol, (file, line, column) = hit[1] if hit else "", at
    return Raw(text, severity, rule, file=file, line=count(line), column=count(column), symbol=symbol, category="lint")


# One line per problem, as Flake8, Pylint and Ruff's concise format print it; Ruff's full format puts the place below.
_PLACED: Final = re.compile(r"(\S.*?):(\d+):(\d+): ([A-Z]+\d+|[a-z]+(?:-[a-z]+)+):? (?:\[\*\] )?(.*)$")
_UNPLACED: Final = re.compile(r"([A-Z]+\d+|[a-z]+(?:-[a-z]+)+):? (?:\[\*\] )?(.*)$")
_BELOW: Final = re.compile(r" *--> (\S.*?):(\d+):(\d+)$")


def read_ruff(view: ReadableOutput) -> Found:
    """Return every problem that Ruff, Flake8 or Pylint reports, each as an error: each makes the tool fail."""
    problems = _json(view)
    if problems is None:
        return Found(list(_printed(view)))
    return Found([_from_json(one) for one in problems])


def _from_json(one: dict[str, Any]) -> Raw:
    place = one.get("location")
    place = place if isinstance(place, dict) else {}
    at = (str(one.get("filename", "")), str(place.get("row", "")), str(place.get("column", "")))
    return _problem(str(one.get("message", "")), "error", str(one.get("code") or ""), at)


def _printed(view: ReadableOutput) -> Iterator[Raw]:
    above = None
    for line in view.lines:
        if hit := _PLACED.match(line):
            yield _problem(hit[5], "error", hit[4], (hit[1], hit[2], hit[3]))
        elif above and (place := _BELOW.match(line)):
            yield _problem(above[2], "error", above[1], (place[1], place[2], place[3]))
        above = _UNPLACED.match(line)


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
