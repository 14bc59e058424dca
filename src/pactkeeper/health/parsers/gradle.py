"""Gradle: the compilers it runs and its test task."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pactkeeper.health.parsers import javac, junit
from pactkeeper.health.parsers.junit_console import thrown
from pactkeeper.health.parsers.seen import Found, Frame, Hint, Raw, ReadableOutput, count

_TITLE: Final = re.compile(r"(\S.{0,300}?) > (.{1,500}) FAILED$")
_AT: Final = re.compile(r"\bat ([\w$]+\.(?:java|kt|groovy|scala)):(\d+)$")
_COUNTS: Final = re.compile(r"(\d+) tests? completed")
_UNREACHED: Final = re.compile(
    r"> Could not (?:resolve|GET|HEAD|download)\b|No cached version of \S+ available for offline"
)


def read(view: ReadableOutput) -> Found:
    """Compile errors and failing tests; from the report where there is one. A test is `Class.method`."""
    if view.report:
        return junit.read(view)
    raws = [*javac.read_lines(view.lines), *_tests(view.lines)]
    counts = [count(hit[1]) for line in view.lines if (hit := _COUNTS.match(line))]
    unreached = not raws and any(_UNREACHED.search(line) for line in view.lines)
    hint = Hint("could not run", "Gradle cannot get a plugin or a dependency") if unreached else None
    return Found(raws, sum(counts) if counts else None, hint)


def _tests(lines: Sequence[str]) -> list[Raw]:
    found: list[Raw] = []
    title: re.Match[str] | None = None
    body: list[str] = []
    for line in [*lines, ""]:
        hit = _TITLE.match(line) if line.endswith(" FAILED") and not line.startswith((" ", ">")) else None
        if hit or (title is not None and body and not line.startswith(" ")):
            if title is not None:
                found.append(_test(title, body))
            title, body = hit, []
        elif title is not None and line.startswith(" "):
            body.append(line)
    return found


def _test(title: re.Match[str], body: Sequence[str]) -> Raw:
    name = title[2].removesuffix("()")
    raw = thrown([re.sub(r" at [\w$]+\.\w+:\d+$", "", line) if at == 0 else line for at, line in enumerate(body)],
                 f"{title[1].replace(' > ', '$')}.{name}")  # fmt: skip
    short = [Frame(hit[1], count(hit[2])) for line in body if (hit := _AT.search(line))]
    raw.frames = raw.frames or short
    return raw
