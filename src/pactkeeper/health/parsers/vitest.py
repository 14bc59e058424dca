"""Vitest: what it prints, and its `json` reporter."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from pactkeeper.health.parsers import scripts
from pactkeeper.health.parsers.places import Places
from pactkeeper.health.parsers.scripts import script_failure
from pactkeeper.health.parsers.seen import GAP, NO_TESTS, Found, Hint, Raw, ReadableOutput, count

_TITLE: Final = re.compile(r"\s*FAIL\s+(?:\|[^|]+\| )?(\S.*?)(?: \[ .+ \])?$")
_COUNTS: Final = re.compile(r"\s*+Tests ++.*\((\d++)\)$")
_FAILED: Final = re.compile(r" *(?:Test Files|Tests|Errors) +(?:(\d+) (?:failed|errors?))?")
_RULER: Final = "⎯⎯"
JOIN: Final = " > "


def read(view: ReadableOutput) -> Found:
    """Every failing test, and every file that fails as a whole; tests that fail alike share one text."""
    found = scripts.read(view, JOIN)
    if found is not None:
        return found
    raws = [raw for titles, body in _blocks(view.lines) for raw in _read_block(titles, body, view.places)]
    counts = [count(hit[1]) for line in view.lines[-60:] if (hit := _COUNTS.match(line))]
    none = any(line.startswith("No test files found") for line in view.lines)
    hint = Hint("could not tell", NO_TESTS) if none else None
    failed = [count(hit[1] or "0") for line in view.lines if (hit := _FAILED.match(line))]
    return Found(raws, 0 if none else counts[-1] if counts else None, hint, sum(failed) if failed else None)


def _blocks(lines: Sequence[str]) -> Iterator[tuple[list[str], list[str]]]:
    """Titles and lines of each failure; `Unhandled Errors` have no title."""
    titles: list[str] = []
    body: list[str] = []
    for line in lines:
        hit = _TITLE.match(line) if "FAIL" in line else None
        if hit and body:
            yield titles, body
            titles, body = [], []
        if hit:
            titles.append(hit[1])
        elif line.lstrip().startswith(_RULER) or GAP in line or line.lstrip().startswith("Test Files "):
            if titles:
                yield titles, body
            titles, body = [], []
        elif titles:
            body.append(line)
    if titles:
        yield titles, body


def _read_block(titles: Sequence[str], body: Sequence[str], places: Places) -> Iterator[Raw]:
    for title in titles:
        file, *names = title.split(JOIN)
        raw = script_failure(body, file)
        raw.test = JOIN.join([places.file(file), *names]) if names else ""
        yield raw
