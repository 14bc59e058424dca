"""An apply or a dry run as JSON."""

from __future__ import annotations

from pactkeeper.reconcile.applying import Applied


def applied_document(applied: Applied) -> dict[str, object]:
    """The published form of an apply."""
    planned = applied.planned
    return {
        "schema": "pactkeeper.applied/1",
        "patch": applied.patch.id,
        "written": applied.entry is not None,
        "ops": [op.id for op in planned.ops],
        "already": [op.id for op in planned.already],
        "rejected": [op.id for op in applied.rejected],
        "skipped": [{"op": one.op.id, "reason": one.reason} for one in planned.skipped],
        "refused_comments": [{"test": test, "reason": reason} for test, reason in applied.refused],
        "files": [edit.path for edit in applied.edits],
        "entry": None if applied.entry is None else applied.entry.id,
    }
