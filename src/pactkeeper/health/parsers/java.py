"""Java output: javac in any language, and JUnit run without a build tool.

The latter is JUnitCore of JUnit 4 or the console launcher of JUnit 5.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from pactkeeper.health.parsers.seen import Found, Raw, ReadableOutput, blocks, count, java_frames

_HEAD: Final = re.compile(r"(\S.*?\.(?:java|kt)):(\d+): (?:(\w+): )?(.*)$")
_KOTLIN: Final = re.compile(r"([ew]): (?:file://)?(\S.*?\.kts?):(?:(\d+):(\d+):?| \((\d+), (\d+)\):) ?(.*)$")
_WARNINGS: Final = frozenset({"warning", "warnung", "avertissement", "advertencia", "avviso", "警告", "경고"})
_LINT: Final = re.compile(r"\[([a-z-]+)\] (.*)$")
_DETAIL: Final = re.compile(r" {2}(\S.*:.*)$")
_MARK: Final = re.compile(r" *\^$")
_BELOW: Final = 8  # lines after a head that belong to it


def read_javac(view: ReadableOutput) -> Found:
    """Return every error with the lines that identify the symbol; the caret below the code gives the column."""
    return Found(read_lines(view.lines))


def read_lines(lines: Sequence[str]) -> list[Raw]:
    """Return the errors among the lines of a build tool."""
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
    return found


def _raw(line: str) -> Raw | None:
    hit = _HEAD.match(line) if ".java:" in line or ".kt:" in line else None
    if hit:
        warning = (hit[3] or "").casefold() in _WARNINGS
        lint = _LINT.match(hit[4])
        message, rule = (lint[2], lint[1]) if lint else (hit[4], "")
        return Raw(
            message,
            "warning" if warning else "error",
            rule,
            file=hit[1],
            line=count(hit[2]),
            compiled=True,
            family="java",
        )
    kotlin = _KOTLIN.match(line) if line.startswith(("e: ", "w: ")) else None
    if kotlin:
        row, column = kotlin[3] or kotlin[5], kotlin[4] or kotlin[6]
        raw = Raw(
            kotlin[7],
            "error" if kotlin[1] == "e" else "warning",
            file=kotlin[2],
            line=count(row),
            compiled=True,
            family="java",
        )
        raw.column = count(column)
        return raw
    return None


def _take(line: str, raw: Raw) -> None:
    if not raw.column and _MARK.match(line):
        raw.column = len(line)
    elif raw.column and (detail := _DETAIL.match(line)):
        raw.message = f"{raw.message}\n{detail[1]}"


_FOUR: Final = re.compile(r"^\d+\) ([\w$]+(?:\[.*\])?)\(([\w$.]+)\)$")
_FIVE: Final = re.compile(r"\s+MethodSource \[className = '([\w$.]+)', methodName = '([\w$]+)'")
_THROWN: Final = re.compile(r"\s+=> (\S.*)$")
_FRAME: Final = re.compile(r"(?<!\s)\s{1,80}+(?:at )?(?=\S{1,300}\([\w$]{1,120}\.\w{1,20}:\d{1,9}\)$)")
_COUNTS: Final = re.compile(r"OK \((\d+) tests?\)$|Tests run: (\d+),  Failures: \d+$|\[ +(\d+) tests found +\]$")


def read_console(view: ReadableOutput) -> Found:
    """Return every failing test as `package.Class.method`, and compile errors before the run."""
    hits = [hit for line in view.lines if (hit := _COUNTS.match(line))]
    tests = sum(count(hit[1] or hit[2] or hit[3]) for hit in hits) if hits else None
    return Found([*read_lines(view.lines), *_failures(view)], tests)


def _failures(view: ReadableOutput) -> Iterator[Raw]:
    titles = blocks(view.lines, lambda line: _FOUR.match(line) or _FIVE.match(line), lambda line: not line.strip())
    for head, lines in titles:
        body = [hit[1] if (hit := _THROWN.match(line)) else _FRAME.sub("\tat ", line, count=1) for line in lines]
        yield thrown(body, f"{head[2]}.{head[1]}" if head.re is _FOUR else f"{head[1]}.{head[2]}")


def thrown(body: Sequence[str], test: str) -> Raw:
    """Return a failed test from the JVM's printout of a throwable: class, message, stack."""
    end = next((at for at, line in enumerate(body) if line.lstrip().startswith("at ")), len(body))
    text = "\n".join(line.strip() for line in body[:end]).strip()
    kind, _, rest = text.partition(":")
    rule = kind.rpartition(".")[2] if re.fullmatch(r"[\w$.]+", kind) else ""
    return Raw(rest.strip() or text if rule else text, rule=rule, test=test, frames=java_frames(body), family="java")
