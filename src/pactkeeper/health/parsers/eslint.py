"""ESLint: the formats json, stylish and unix. What it says is lint, whatever the check is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from pactkeeper.health.parsers.scripts import json_value
from pactkeeper.health.parsers.seen import Found, Raw, ReadableOutput, clean, count
from pactkeeper.ledger.finding import Severity

_STYLISH: Final = re.compile(r" +(\d+):(\d+) +(error|warning) +(\S.*)$")
_RULE: Final = re.compile(r"(?P<message>.*\S) {2,}(?P<rule>\S+)$")
_UNIX: Final = re.compile(r"(\S.*?):(\d+):(\d+): (.*) \[(Error|Warning)(?:/(\S+))?\]$")
_NAME: Final = re.compile(r"'([\w$.]+)'")
_ERROR: Final = 2  # ESLint's number for it


def read(view: ReadableOutput) -> Found:
    """Every problem; one without a rule is code that cannot be parsed."""
    text = (view.report or b"").decode("utf-8", "replace") or view.text
    start = text.lstrip()
    if start.startswith("["):
        whole = _json(start)
        if whole is not None:
            return Found(whole)
    return Found(list(_lines(view)))


def _json(text: str) -> list[Raw] | None:
    files = json_value(text)  # where it is cut off, or another tool's text, the lines are read instead
    if not isinstance(files, list):
        return None
    return [raw for file in files if isinstance(file, dict) for raw in _file(file)]


def _file(file: dict[str, Any]) -> Iterator[Raw]:
    messages = file.get("messages")
    for one in messages if isinstance(messages, list) else ():
        if isinstance(one, dict):
            severity: Severity = "error" if one.get("severity") == _ERROR else "warning"
            raw = _raw(str(one.get("message", "")), severity, str(one.get("ruleId") or ""))
            raw.file = str(file.get("filePath", ""))
            raw.line, raw.column = count(str(one.get("line", ""))), count(str(one.get("column", "")))
            yield raw


def _lines(view: ReadableOutput) -> Iterator[Raw]:
    file = ""
    for line in view.lines:
        if not line.startswith(" "):
            unix = _UNIX.match(line) if line.endswith("]") else None
            if unix:
                raw = _raw(unix[4], "error" if unix[5] == "Error" else "warning", unix[6] or "")
                raw.file, raw.line, raw.column = unix[1], count(unix[2]), count(unix[3])
                yield raw
            file = line.strip() or file
        elif hit := _STYLISH.match(line):
            rule = _RULE.match(hit[4])
            message, name = (rule["message"], rule["rule"]) if rule else (hit[4].strip(), "")
            raw = _raw(message, "error" if hit[3] == "error" else "warning", name)
            raw.file, raw.line, raw.column = file, count(hit[1]), count(hit[2])
            yield raw


def _raw(message: str, severity: Severity, rule: str) -> Raw:
    text = clean(message).removesuffix(".")
    hit = _NAME.search(text)
    return Raw(text, severity, rule, symbol=hit[1] if hit else "", category="lint")
