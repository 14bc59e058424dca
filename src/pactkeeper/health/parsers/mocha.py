"""Mocha: its `spec` and `dot` reporters, and `json`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pactkeeper.health.parsers import scripts
from pactkeeper.health.parsers.scripts import script_failure
from pactkeeper.health.parsers.seen import NO_TESTS, Found, Hint, Raw, ReadableOutput, blocks, count, dedented

_TITLE: Final = re.compile(r" {2}\d+\) (\S.*)$")
_DEEPER: Final = re.compile(r" {7,}\S.*$")
_COUNTS: Final = re.compile(r" {2}(\d+) (passing|failing|pending)\b")
_LOADING: Final = re.compile(r"\s*(?:Exception during run: |Error: )(.*)$")
_STACK: Final = re.compile(r"\s*at ")
_SLOW: Final = re.compile(r"Timeout of \d+ms exceeded.* \((\S+)\)$")
_LONGEST_TITLE: Final = 30  # lines that a title is spread over


def read(view: ReadableOutput) -> Found:
    """Every failing test with its full title, and a file that cannot be loaded."""
    found = scripts.read(view, " ")
    if found is not None:
        return found
    counts = {hit[2]: count(hit[1]) for line in view.lines if (hit := _COUNTS.match(line))}
    begin = max((at for at, line in enumerate(view.lines) if (hit := _COUNTS.match(line))), default=0)
    raws = [_failure(*block) for block in blocks(view.lines[begin:], _TITLE.match)]
    if not counts:
        raws += _loading(view)
    none = any("No test files found" in line for line in view.lines)
    hint = Hint("could not tell", NO_TESTS) if none or (counts and not sum(counts.values())) else None
    total = 0 if none else sum(counts.values()) if counts else None
    return Found([] if none else raws, total, hint, counts.get("failing", 0) if counts else None)


def _failure(title: re.Match[str], block: list[str]) -> Raw:
    """The title goes on, deeper with each line, until one ends with a colon."""
    names, at = [title[1]], 0
    while at < min(len(block), _LONGEST_TITLE) and not names[-1].endswith(":") and _DEEPER.match(block[at]):
        names.append(block[at].strip())
        at += 1
    body = dedented(block[at:]).split("\n")
    raw = script_failure(_without_difference(body), "")
    raw.test = " ".join(names).removesuffix(":")
    slow = _SLOW.match(raw.message)
    raw.file = slow[1] if slow else ""
    return raw


def _without_difference(body: Sequence[str]) -> list[str]:
    """The message and the stack without the difference that the reporter adds to them."""
    begin = next((at for at, line in enumerate(body) if line.strip() == "+ expected - actual"), len(body))
    stack = next((at for at in range(begin, len(body)) if _STACK.match(body[at])), len(body))
    return [line if at else line.strip() for at, line in enumerate([*body[:begin], *body[stack:]])]


def _loading(view: ReadableOutput) -> list[Raw]:
    for at, line in enumerate(view.lines):
        hit = _LOADING.match(line) if "Error" in line else None
        if hit:
            rest = list(view.lines[at + 1 : at + 60])
            message = next((place for place, one in enumerate(rest) if _STACK.match(one) or one == "Require stack:"), 0)
            raw = script_failure([hit[1], *rest[:message], *filter(_STACK.match, rest)], "")
            return [raw]
    return []
