"""What an op would do, in lines for people at any door.

Also the results of a run, an apply or a dry run as JSON.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.op import Op
from pactkeeper.ledger.selection import Skipped
from pactkeeper.operators.reconcile import Reconciled
from pactkeeper.published.plain import Codec
from pactkeeper.reconcile.applying import Applied

_BESIDES: Final = ("category", "falsifiedBy", "tags", "status", "reason", "supersedes")  # what an update may change
_CARRIERS: Final = {"comment": "in a comment", "sidecar": "in pact/links", "annotation": "its annotation, reviewed"}


@dataclass(frozen=True, slots=True)
class OpLine:
    """One line: its text, followed by a part that doors may de-emphasise."""

    text: str
    aside: str = ""


def describe(op: Op) -> list[str]:
    """Describe what an op would do, in plain lines."""
    return [f"{one.text}{one.aside}".strip() for one in op_lines(op)]


def op_lines(op: Op) -> Iterator[OpLine]:
    """Describe what an op would do: the change first, its details indented."""
    said = op.payload
    match op.verb:
        case "createAtom":
            yield OpLine(f"+ {said['atomId']}  {said['description']}  ", str(said["category"]))
            yield from _outcomes(op)
        case "updateAtom":
            yield OpLine(f"~ {said['atomId']}  {said.get('description', '')}".rstrip())
            yield from _outcomes(op)
            yield from (OpLine(f"    {name}: {_listed(said[name])}") for name in _BESIDES if name in said)
        case "removeAtom":
            yield OpLine(f"- {said['atomId']}")
        case "attachTestToAtom":
            yield OpLine("", _link(op))
        case "markAtomSuperseded":
            yield OpLine(f"! {said['oldAtomId']} is superseded by {said['newAtomId']}")
        case "detachTest":
            yield OpLine(f"- the record of this test: {said.get('reason', 'it is gone')}")
        case _:
            yield OpLine(f"{op.verb} {op.target}")


def _link(op: Op) -> str:
    said = op.payload
    moved = f", moved from {said['replacesTestId']}" if "replacesTestId" in said else ""
    instead = f", instead of {said['replacesAtomId']}" if "replacesAtomId" in said else ""
    return f"link to {said['atomId']} {_CARRIERS[str(said['carrier'])]}{instead}{moved}"


def texts_of(value: JsonValue | None) -> tuple[str, ...]:
    """The items of a list in a payload as texts; empty for anything else."""
    return tuple(str(one) for one in value) if isinstance(value, list) else ()


def _listed(value: JsonValue) -> str:
    return (", ".join(texts_of(value)) or "none") if isinstance(value, list) else str(value)


def _outcomes(op: Op) -> Iterator[OpLine]:
    yield from (OpLine(f"    • {outcome}") for outcome in texts_of(op.payload.get("observableOutcomes")))
    reasons = texts_of(op.payload.get("ambiguityReasons"))
    if reasons:
        yield OpLine("", f"    unsure: {', '.join(reasons).replace('_', ' ')}")


def _is_written(applied: Applied) -> bool:
    return applied.entry is not None


def _entry(applied: Applied) -> int | None:
    return None if applied.entry is None else applied.entry.id


APPLIED: Final = Codec(
    Applied,
    "patch=patch.id written= ops=planned.ops already=planned.already rejected skipped=planned.skipped"
    " refused_comments=refused files=edits entry=",
    written=_is_written,
    ops="id",
    already="id",
    rejected="id",
    skipped=Codec(Skipped, "op=op.id reason"),
    refused_comments=Codec(tuple[str, str], "test reason"),
    files="path",
    entry=_entry,
)
OP: Final = Codec(Op, "id shown_hash verb target precondition payload evidence confidence risk group depends_on")


def _left_out(made: Reconciled) -> dict[str, int]:
    return dict(made.left_out)


MADE: Final = Codec(
    Reconciled,
    "run=run.id status=run.status patch=patch.id ops=patch.ops questions=patch.questions findings=patch.findings"
    " left_out= waiting",
    ops=len,
    questions=len,
    findings=len,
    left_out=_left_out,
)
