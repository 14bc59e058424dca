"""mypy: its lines, wrapped ones with `--pretty`, and `--output json`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pactkeeper.health.parsers.names import named
from pactkeeper.health.parsers.scripts import json_value
from pactkeeper.health.parsers.seen import Found, Raw, ReadableOutput, count
from pactkeeper.ledger.finding import Severity

_HEAD: Final = re.compile(r"(\S.*?):(\d+)(?::(\d+))?(?::\d+:\d+)?: (error|warning|note): (.*)$")
_WHOLE: Final = re.compile(r"(\S.*?): (error): (.*)$")
_CODE: Final = re.compile(r"(.*)(?<!\s)\s++\[([a-z][a-z0-9-]*+)\]$", re.DOTALL)
_WRAPPED: Final = 12  # lines that one message is wrapped over
_ADVICE: Final = ("See https://", "Use ", "Hint: ", "Error code ", "By default the bodies")
_SEVERITIES: Final[dict[str, Severity]] = {"error": "error", "warning": "warning", "note": "info"}


def read(view: ReadableOutput) -> Found:
    """Every error; a note about the same line belongs to the error above it, one about another file is related."""
    found: list[Raw] = []
    for index, line in enumerate(view.lines):
        raw = _from_json(line) if line.startswith("{") else _head(line, view.lines, index)
        if raw is not None:
            _take(raw, found)
    for raw in found:
        raw.symbol, raw.modules = named(raw.message, "python")
    return Found(found)


def _head(line: str, lines: Sequence[str], index: int) -> Raw | None:
    if ": error: " not in line and ": note: " not in line and ": warning: " not in line:
        return None
    hit = _HEAD.match(line)
    if hit is None:
        whole = _WHOLE.match(line)
        return Raw(whole[3], file=whole[1]) if whole and whole[1].endswith((".py", ".pyi")) else None
    message, rule = _coded(hit[5], lines, index)
    return Raw(message, _SEVERITIES[hit[4]], rule, file=hit[1], line=count(hit[2]), column=count(hit[3] or ""))


def _coded(message: str, lines: Sequence[str], index: int) -> tuple[str, str]:
    """A message and its code, which ends it; with `--pretty` that may be some lines further down."""
    text = message
    for below in range(index + 1, min(index + 1 + _WRAPPED, len(lines) + 1)):
        hit = _CODE.match(text)
        if hit is not None:
            return hit[1], hit[2]
        following = lines[below] if below < len(lines) else ""
        if not following or following.startswith((" ", "Found ")) or _HEAD.match(following):
            break
        text = f"{text.rstrip()} {following}"
    return message, ""


def _from_json(line: str) -> Raw | None:
    one = json_value(line)
    if not isinstance(one, dict) or "message" not in one or "file" not in one:
        return None
    severity = _SEVERITIES.get(str(one.get("severity")), "error")
    raw = Raw(str(one["message"]), severity, str(one.get("code") or ""), file=str(one["file"]))
    raw.line, raw.column = count(str(one.get("line"))), count(str(one.get("column"))) + 1
    for hint in str(one.get("hint") or "").split("\n"):
        _add_note(raw, hint)
    return raw


def _take(raw: Raw, found: list[Raw]) -> None:
    if raw.severity != "info" or not found or found[-1].severity == "info":
        found.append(raw)
    elif raw.file == found[-1].file:
        _add_note(found[-1], raw.message)
    else:
        found[-1].related = (*found[-1].related, raw.file)


def _add_note(raw: Raw, note: str) -> None:
    if note.strip() and not note.startswith(_ADVICE):
        raw.message = f"{raw.message}\n{note.rstrip()}"
