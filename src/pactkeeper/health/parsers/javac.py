"""javac, in whatever language it speaks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pactkeeper.health.parsers.names import named
from pactkeeper.health.parsers.seen import Found, Raw, ReadableOutput, count

_HEAD: Final = re.compile(r"(\S.*?\.(?:java|kt)):(\d+): (?:(\w+): )?(.*)$")
_KOTLIN: Final = re.compile(r"([ew]): (?:file://)?(\S.*?\.kts?):(?:(\d+):(\d+):?| \((\d+), (\d+)\):) ?(.*)$")
_WARNINGS: Final = frozenset({"warning", "warnung", "avertissement", "advertencia", "avviso", "警告", "경고"})
_LINT: Final = re.compile(r"\[([a-z-]+)\] (.*)$")
_DETAIL: Final = re.compile(r" {2}(\S.*:.*)$")
_MARK: Final = re.compile(r" *\^$")
_BELOW: Final = 8  # lines below a head that belong to it


def read(view: ReadableOutput) -> Found:
    """Every error with the lines that say which symbol is meant; the mark below the code gives the column."""
    return Found(read_lines(view.lines))


def read_lines(lines: Sequence[str]) -> list[Raw]:
    """The errors in some lines, which build tools print among their own."""
    found: list[Raw] = []
    below = _BELOW
    for line in lines:
        raw = _raw(line)
        if raw is not None:
            found.append(raw)
            below = 0
        elif found and below < _BELOW:
            below += 1
            _take(line, found[-1])
    for raw in found:
        raw.symbol, _ = named(raw.message, "java")
    return found


def _raw(line: str) -> Raw | None:
    hit = _HEAD.match(line) if ".java:" in line or ".kt:" in line else None
    if hit:
        warning = (hit[3] or "").casefold() in _WARNINGS
        lint = _LINT.match(hit[4])
        message, rule = (lint[2], lint[1]) if lint else (hit[4], "")
        return Raw(message, "warning" if warning else "error", rule, file=hit[1], line=count(hit[2]), compiled=True)
    kotlin = _KOTLIN.match(line) if line.startswith(("e: ", "w: ")) else None
    if kotlin:
        row, column = kotlin[3] or kotlin[5], kotlin[4] or kotlin[6]
        raw = Raw(kotlin[7], "error" if kotlin[1] == "e" else "warning", file=kotlin[2], line=count(row), compiled=True)
        raw.column = count(column)
        return raw
    return None


def _take(line: str, raw: Raw) -> None:
    if not raw.column and _MARK.match(line):
        raw.column = len(line)
    elif raw.column and (detail := _DETAIL.match(line)):
        raw.message = f"{raw.message}\n{detail[1]}"
