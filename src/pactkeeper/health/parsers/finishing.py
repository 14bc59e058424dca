"""From what a tool writes to the project's own terms: paths below the root, bounded messages, each thing once."""

from __future__ import annotations

from collections.abc import Iterable

from pactkeeper.health.parsers.places import Places
from pactkeeper.health.parsers.seen import CheckOutput, Found, Parsed, Raw, ReadableOutput, bounded, clean, lines_of
from pactkeeper.intent.health import Diagnostic, HealthCheck


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
