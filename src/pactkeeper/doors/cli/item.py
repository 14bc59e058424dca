"""How one item of a patch looks: what would be declared, on what evidence, and where it would be written."""

from __future__ import annotations

from collections.abc import Iterator

import click

from pactkeeper.doors.cli.output import bold, count, dim, say
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.op import Op
from pactkeeper.operators.decide import Item, Pending

MOST_LINES = 6
_ASIDE = ("category", "falsifiedBy", "tags", "status", "reason", "supersedes")  # what an update may change besides


def print_item(item: Item) -> None:
    """Print the ops about one test."""
    score = min((score for op in item.ops if isinstance(score := op.payload.get("qualityScore"), int)), default=None)
    quality = "" if score is None else f", quality {score}"
    say(f"{bold(item.group)}  {dim(f'confidence {item.confidence}{quality}')}")
    for op in (*item.needs, *item.ops):
        for line in _lines(op):
            say(f"  {line}")
    for line in _evidence(item):
        say(f"  {line}")


def left_out(pending: Pending) -> str:
    """Say what `--all` does not accept, and how it is accepted."""
    return (
        f"{count(pending.left_out, 'test')} whose words score below {pending.threshold} of 100; improve or accept them "
        "one by one: pk review"
    )


def describe(op: Op) -> list[str]:
    """What an op would do, in plain lines for a file."""
    return [click.unstyle(line).strip() for line in _lines(op)]


def _lines(op: Op) -> Iterator[str]:
    said = op.payload
    match op.verb:
        case "createAtom":
            yield f"+ {said['atomId']}  {said['description']}  {dim(str(said['category']))}"
            yield from _outcomes(op)
        case "updateAtom":
            yield f"~ {said['atomId']}  {said.get('description', '')}".rstrip()
            yield from _outcomes(op)
            yield from (f"    {name}: {_listed(said[name])}" for name in _ASIDE if name in said)
        case "removeAtom":
            yield f"- {said['atomId']}"
        case "attachTestToAtom":
            where = {"comment": "in a comment", "sidecar": "in pact/links", "annotation": "its annotation, reviewed"}
            moved = f", moved from {said['replacesTestId']}" if "replacesTestId" in said else ""
            instead = f", instead of {said['replacesAtomId']}" if "replacesAtomId" in said else ""
            yield dim(f"link to {said['atomId']} {where[str(said['carrier'])]}{instead}{moved}")
        case "markAtomSuperseded":
            yield f"! {said['oldAtomId']} is superseded by {said['newAtomId']}"
        case "detachTest":
            yield f"- the record of this test: {said.get('reason', 'it is gone')}"
        case _:
            yield f"{op.verb} {op.target}"


def _listed(value: JsonValue) -> str:
    return ", ".join(str(one) for one in value) if isinstance(value, list) else str(value)


def _outcomes(op: Op) -> Iterator[str]:
    outcomes = op.payload.get("observableOutcomes", ())
    for outcome in outcomes if isinstance(outcomes, list) else ():
        yield f"    • {outcome}"
    reasons = op.payload.get("ambiguityReasons", ())
    if reasons and isinstance(reasons, list):
        yield dim(f"    unsure: {', '.join(str(one).replace('_', ' ') for one in reasons)}")


def _evidence(item: Item) -> Iterator[str]:
    found = dict.fromkeys((one.path, one.line, one.quote or one.note) for op in item.ops for one in op.evidence)
    for path, line, text in list(found)[:MOST_LINES]:
        first, *rest = text.strip().splitlines() or [""]
        yield dim(f"{path}:{line}  {first}{' …' if rest else ''}")
    if len(found) > MOST_LINES:
        yield dim(f"… and {len(found) - MOST_LINES} more lines of evidence")
