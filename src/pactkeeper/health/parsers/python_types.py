"""mypy and Pyright: their text output, including the wrapped lines of mypy's `--pretty`, and their JSON."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from pactkeeper.health.parsers.seen import Found, Raw, ReadableOutput, count, json_value
from pactkeeper.ledger.finding import Severity

_HEAD: Final = re.compile(r"(\S.*?):(\d+)(?::(\d+))?(?::\d+:\d+)?: (error|warning|note): (.*)$")
_WHOLE: Final = re.compile(r"(\S.*?): (error): (.*)$")
_CODE: Final = re.compile(r"(.*)(?<!\s)\s++\[([a-z][a-z0-9-]*+)\]$", re.DOTALL)
_WRAPPED: Final = 12  # lines that one message may be wrapped over
_ADVICE: Final = ("See https://", "Use ", "Hint: ", "Error code ", "By default the bodies")
_SEVERITIES: Final[dict[str, Severity]] = {"error": "error", "warning": "warning", "note": "info"}


def read_mypy(view: ReadableOutput) -> Found:
    """Return every error; a note in the same file is appended to the error above it, one in another file is related."""
    found: list[Raw] = []
    for index, line in enumerate(view.lines):
        raw = _from_json(line) if line.startswith("{") else _head(line, view.lines, index)
        if raw is not None:
            _take(raw, found)
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
    """Split a message from its trailing code, which with `--pretty` may be some lines further down."""
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


_PLACED: Final = re.compile(r" *(\S.*?):(\d+):(\d+) - (error|warning|information)(?:: | TS\d+: )(.*)$")
_RULE: Final = re.compile(r"(.*) \((report\w+)\)$", re.DOTALL)
_DEEPER: Final = re.compile(r"[ \u00a0]{4,}\S")
_DEEPER_BY: Final = 2  # extra spaces of indentation compared with JSON
_LEVELS: Final[dict[str, Severity]] = {"error": "error", "warning": "warning", "information": "info"}


def read_pyright(view: ReadableOutput) -> Found:
    """Return every diagnostic with its explanatory lines."""
    start = view.text.find("{")
    found = _whole_json(view.text[start:]) if '"generalDiagnostics"' in view.text[start : start + 4_000] else None
    if found is None:
        found = _lines(view)
    for raw in found:
        hit = _RULE.match(raw.message)
        if hit is not None:
            raw.message, raw.rule = hit[1], hit[2]
        raw.message = raw.message.replace("\u00a0", " ")
    return Found(found)


def _lines(view: ReadableOutput) -> list[Raw]:
    found: list[Raw] = []
    inside = False
    for line in view.lines:
        hit = _PLACED.match(line) if " - " in line else None
        if hit:
            raw = Raw(hit[5], _LEVELS[hit[4]], file=hit[1], line=count(hit[2]), column=count(hit[3]))
            found.append(raw)
            inside = True
        elif inside and _DEEPER.match(line):
            found[-1].message = f"{found[-1].message}\n{_shallower(line)}"
        else:
            inside = False
    return found


def _shallower(line: str) -> str:
    """Return a continuation line as in JSON, which indents less."""
    return line.replace("\u00a0", " ")[_DEEPER_BY:]


def _whole_json(text: str) -> list[Raw] | None:
    whole = json_value(text)  # truncated JSON can't be trusted; the last lines are reported instead
    ones = whole.get("generalDiagnostics") if isinstance(whole, dict) else None
    return [_one(one) for one in ones if isinstance(one, dict)] if isinstance(ones, list) else None


def _one(one: dict[str, Any]) -> Raw:
    severity = _LEVELS.get(str(one.get("severity")), "error")
    raw = Raw(str(one.get("message", "")), severity, str(one.get("rule") or ""), file=str(one.get("file", "")))
    places = one.get("range")
    start = places.get("start") if isinstance(places, dict) else None
    if isinstance(start, dict):
        raw.line, raw.column = count(str(start.get("line"))) + 1, count(str(start.get("character"))) + 1
    return raw
