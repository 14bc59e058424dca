"""What there is to do, as JSON."""

from __future__ import annotations

from dataclasses import asdict

from pactkeeper.reconcile.backlog import Task


def gap_document(one: Task) -> dict[str, object]:
    """A task as JSON."""
    return {"priority": one.priority, **asdict(one), "ops": list(one.ops)}
