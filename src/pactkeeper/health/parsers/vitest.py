"""Vitest: what it prints, and its `json` reporter.

From what a tool writes to the project's own terms: paths below the root, bounded messages, each thing once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from pactkeeper.health.parsers import scripts
from pactkeeper.health.parsers.places import Places
from pactkeeper.health.parsers.scripts import script_failure
from pactkeeper.health.parsers.seen import (
    GAP,
    NO_TESTS,
    CheckOutput,
    Found,
    Hint,
    Parsed,
    Raw,
    ReadableOutput,
    bounded,
    clean,
    count,
    lines_of,
)
from pactkeeper.intent.health import Diagnostic, HealthCheck

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


def view_of(check: HealthCheck, seen: CheckOutput) -> ReadableOutput:
    """An output as parsers get to see it."""
    text = clean(seen.text)
    places = Places(seen.roots, check.directory, seen.files)
    return ReadableOutput(text, lines_of(text), seen.report, places, check.pattern)


def finished(found: Found, check: HealthCheck, places: Places) -> Parsed:
    """Diagnostics in the order they came, without those that say what an earlier one says."""
    once = dict.fromkeys(_diagnostic(raw, check, places) for raw in found.raw)
    return Parsed(tuple(once), found.tests, found.hint)


def _diagnostic(raw: Raw, check: HealthCheck, places: Places) -> Diagnostic:
    file, line, column = places.file(raw.file) if raw.file else "", raw.line, raw.column
    others: list[str] = []
    if raw.frames:
        own = [(path, one) for one in raw.frames if (path := places.own(one.file))]
        if own:
            deepest = own[0][1]
            others = [path for path, _ in reversed(own[1:])] + ([file] if file else [])
            file, line, column = own[0][0], deepest.line, deepest.column
    related = _related(raw, [*others, *(places.module(one, file) for one in raw.modules)], places, file)
    return Diagnostic(
        check.name,
        "compile" if raw.compiled and check.category == "test" else raw.category or check.category,
        raw.severity,
        places.plain(bounded(raw.message)),
        raw.rule,
        raw.test,
        file,
        line,
        column,
        places.plain(raw.symbol),
        related,
    )


def _related(raw: Raw, others: Iterable[str], places: Places, file: str) -> tuple[str, ...]:
    paths = dict.fromkeys([*others, *(places.file(one) for one in raw.related)])
    return tuple(path for path in paths if path and path != file)
