"""Pyright: its lines and `--outputjson`."""

from __future__ import annotations

import re
from typing import Any, Final

from pactkeeper.health.parsers.names import named
from pactkeeper.health.parsers.scripts import json_value
from pactkeeper.health.parsers.seen import Found, Raw, ReadableOutput, count
from pactkeeper.ledger.finding import Severity

_HEAD: Final = re.compile(r" *(\S.*?):(\d+):(\d+) - (error|warning|information)(?:: | TS\d+: )(.*)$")
_RULE: Final = re.compile(r"(.*) \((report\w+)\)$", re.DOTALL)
_DEEPER: Final = re.compile(r"[ \u00a0]{4,}\S")
_DEEPER_BY: Final = 2  # spaces by which text is deeper than JSON
_SEVERITIES: Final[dict[str, Severity]] = {"error": "error", "warning": "warning", "information": "info"}


def read(view: ReadableOutput) -> Found:
    """Every diagnostic with the lines that explain it."""
    start = view.text.find("{")
    found = _json(view.text[start:]) if '"generalDiagnostics"' in view.text[start : start + 4_000] else None
    if found is None:
        found = _lines(view)
    for raw in found:
        hit = _RULE.match(raw.message)
        if hit is not None:
            raw.message, raw.rule = hit[1], hit[2]
        raw.message = raw.message.replace("\u00a0", " ")
        raw.symbol, raw.modules = named(raw.message, "python")
    return Found(found)


def _lines(view: ReadableOutput) -> list[Raw]:
    found: list[Raw] = []
    inside = False
    for line in view.lines:
        hit = _HEAD.match(line) if " - " in line else None
        if hit:
            raw = Raw(hit[5], _SEVERITIES[hit[4]], file=hit[1], line=count(hit[2]), column=count(hit[3]))
            found.append(raw)
            inside = True
        elif inside and _DEEPER.match(line):
            found[-1].message = f"{found[-1].message}\n{_shallower(line)}"
        else:
            inside = False
    return found


def _shallower(line: str) -> str:
    """A line below a message as JSON has it, which is less indented."""
    return line.replace("\u00a0", " ")[_DEEPER_BY:]


def _json(text: str) -> list[Raw] | None:
    whole = json_value(text)  # where it is cut off nothing of it can be trusted, and the last lines speak
    ones = whole.get("generalDiagnostics") if isinstance(whole, dict) else None
    return [_one(one) for one in ones if isinstance(one, dict)] if isinstance(ones, list) else None


def _one(one: dict[str, Any]) -> Raw:
    severity = _SEVERITIES.get(str(one.get("severity")), "error")
    raw = Raw(str(one.get("message", "")), severity, str(one.get("rule") or ""), file=str(one.get("file", "")))
    places = one.get("range")
    start = places.get("start") if isinstance(places, dict) else None
    if isinstance(start, dict):
        raw.line, raw.column = count(str(start.get("line"))) + 1, count(str(start.get("character"))) + 1
    return raw
