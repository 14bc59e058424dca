"""The published form of a sweep: the fields of a SweepResult, and beside them what was run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Final

from pactkeeper.health.consulting import Grouping
from pactkeeper.health.pacing import colour
from pactkeeper.intent.health import CheckResult
from pactkeeper.operators.sweep import Swept

SCHEMA: Final = "pactkeeper.sweep/1"
FEED_SCHEMA: Final = "pactkeeper.sweep-feed/1"
BUILDING: Final = ("build", "compile")
MOST_TEXT, MOST_LISTED = 8_000, 50  # characters of an output, and diagnostics of a check, in what planners are told


def as_document(found: Swept) -> Mapping[str, object]:
    """Everything that is known of a sweep."""
    return {
        "schema": SCHEMA,
        **_outcome(found),
        "buildOutput": found.output(BUILDING),
        "testOutput": found.output(("test",)),
        "findings": [{**asdict(one), "fingerprint": one.diagnostic.fingerprint} for one in found.findings],
        "sweep": {**asdict(found.sweep), "results": [_result(one) for one in found.sweep.results]},
    }


def as_feed(found: Swept) -> Mapping[str, object]:
    """A sweep for planners, of bounded size: the ends of outputs, and the first diagnostics of each check."""
    sweep = found.sweep
    return {
        "schema": FEED_SCHEMA,
        **_outcome(found),
        "colour": colour(sweep),
        "buildOutput": found.output(BUILDING)[-MOST_TEXT:],
        "testOutput": found.output(("test",))[-MOST_TEXT:],
        "findings": len(found.findings),
        "sweep": {**asdict(sweep), "results": [_brief(one) for one in sweep.results]},
    }


def _outcome(found: Swept) -> dict[str, object]:
    return {
        "buildOk": found.passes(BUILDING),
        "testsOk": found.passes(("test",)),
        "hasConflictMarkers": bool(found.conflict_files),
        "conflictFiles": list(found.conflict_files),
        "fixTasks": [{**asdict(one), "createdAt": one.created_at} for one in found.tasks],
        "green": found.sweep.green,
        "partial": found.partial,
        "aside": found.aside,
        "grouping": None if found.grouping is None else _grouping(found.grouping),
    }


def _grouping(one: Grouping) -> dict[str, object]:
    """Who was asked how to group failures, what came of it and what that took; not the groups, which the tasks are."""
    took = asdict(one.usage)
    return {"model": one.model, "state": one.state, "reasons": list(one.reasons), "cached": one.cached, "usage": took}


def _result(one: CheckResult) -> dict[str, object]:
    diagnostics = [{**asdict(each), "fingerprint": each.fingerprint} for each in one.diagnostics]
    return {**asdict(one), "diagnostics": diagnostics}


def _brief(one: CheckResult) -> dict[str, object]:
    whole = _result(one)
    listed = [{**asdict(each), "message": each.message[:MOST_TEXT]} for each in one.diagnostics[:MOST_LISTED]]
    return {name: value for name, value in whole.items() if name != "output"} | {
        "diagnostics": listed,
        "diagnosticsInAll": len(one.diagnostics),
    }
