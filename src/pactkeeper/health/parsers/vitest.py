"""Vitest: what it prints, and its `json` reporter."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from pactkeeper.health.parsers import scripts
from pactkeeper.health.parsers.places import Places
from pactkeeper.health.parsers.scripts import script_failure
from pactkeeper.health.parsers.seen import Found, Raw, ReadableOutput, blocks

_TITLE: Final = re.compile(r"\s*FAIL\s+(?:\|[^|]+\| )?(\S.*?)(?: \[ .+ \])?$")
_COUNTS: Final = re.compile(r"^\s*+Tests ++.*\((\d++)\)$")
_FAILED: Final = re.compile(r"^ *(?:Test Files|Tests|Errors) +(?:(\d+) (?:failed|errors?))?")
_RULER: Final = "⎯⎯"
JOIN: Final = " > "


def read(view: ReadableOutput) -> Found:
    """Every failing test, and every file that fails as a whole; tests that fail alike share one text."""
    found = scripts.read(view, JOIN)
    if found is not None:
        return found
    raws = list(_failures(view.lines, view.places))
    return scripts.summed(raws, view.lines, _COUNTS, _FAILED, none="No test files found")


def _failures(lines: Sequence[str], places: Places) -> Iterator[Raw]:
    """`Unhandled Errors` have no title."""
    titles: list[str] = []
    for head, body in blocks(lines, _TITLE.match, lambda line: line.lstrip().startswith((_RULER, "Test Files "))):
        titles.append(head[1])
        if body:
            yield from _read_block(titles, body, places)
            titles = []


def _read_block(titles: Sequence[str], body: Sequence[str], places: Places) -> Iterator[Raw]:
    for title in titles:
        file, *names = title.split(JOIN)
        raw = script_failure(body, file)
        raw.test = JOIN.join([places.file(file), *names]) if names else ""
        yield raw
