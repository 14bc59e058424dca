"""Deeds: actions with their outcome, each with what was written and how to undo it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Literal

from pactkeeper.intent.actions import Action, Confidence, action_document
from pactkeeper.intent.board import Written, change_document, read_change
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.decision import Decision
from pactkeeper.ledger.op import encode_op
from pactkeeper.ledger.patch_text import read_op

# About to be written; written and read back; not written, with the reason; rejected by a person; about to be undone;
# undone.
Standing = Literal["begun", "done", "failed", "rejected", "undoing", "undone"]
# Allowed transitions; None is an action with no record yet.
AFTER: Final[Mapping[Standing | None, frozenset[Standing]]] = {
    None: frozenset({"begun", "rejected"}),
    "begun": frozenset({"begun", "done", "failed"}),
    "done": frozenset({"undoing"}),
    "failed": frozenset({"begun", "rejected"}),
    "rejected": frozenset({"begun"}),
    "undoing": frozenset({"undoing", "undone", "done"}),
    "undone": frozenset(),
}


@dataclass(frozen=True, slots=True)
class Deed:
    """An action with its outcome at `at` (ISO 8601), and the reason if one is needed.

    `decision` is what a person decided, None if it happened automatically. `written` is what was read back, with the
    value before; None as long as nothing is known to be written.
    """

    action: Action
    standing: Standing
    at: str
    decision: Decision | None = None
    written: Written | None = None
    reason: str = ""

    @property
    def automatic(self) -> bool:
        """Whether it happened without asking anyone."""
        return self.decision is None

    @property
    def by(self) -> str:
        """Who decided it; empty if it happened automatically."""
        return "" if self.decision is None else self.decision.by

    def now(self, standing: Standing, *, at: str, reason: str = "", written: Written | None = None) -> Deed:
        """The same deed after its next step."""
        return replace(self, standing=standing, at=at, reason=reason, written=written or self.written)


def deed_document(deed: Deed) -> dict[str, JsonValue]:
    """The published form of a deed, which `read_deed` reads back."""
    document: dict[str, Any] = {
        "op": encode_op(deed.action.op),
        "action": action_document(deed.action),
        "standing": deed.standing,
        "at": deed.at,
        "decision": None if deed.decision is None else asdict(deed.decision),
        "written": written_document(deed.written),
        "reason": deed.reason,
    }
    return document


def written_document(written: Written | None) -> JsonValue:
    """What was written as JSON."""
    if written is None:
        return None
    undo = None if written.undo is None else change_document(written.undo)
    return {**asdict(replace(written, undo=None)), "undo": undo}


def read_deed(document: Mapping[str, Any]) -> Deed:
    """Parse what `deed_document` wrote; raises PatchError or ValueError if the op inside was tampered with."""
    about, sure = document["action"], document["action"]["confidence"]
    action = Action(
        read_op(document["op"]),
        about["artifact"],
        Confidence(sure["strength"], sure["explicitness"], sure["recency"], sure["corroboration"]),
        about["tier"],
        about["why"],
        about["machine"],
    )
    said = document["decision"]
    decision = None if said is None else Decision(**said)
    return Deed(
        action,
        document["standing"],
        document["at"],
        decision,
        _written(document["written"]),
        document["reason"],
    )


def _written(found: Mapping[str, Any] | None) -> Written | None:
    if found is None:
        return None
    undo = None if found["undo"] is None else read_change(found["undo"])
    return Written(**{**found, "undo": undo})
