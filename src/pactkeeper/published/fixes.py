"""A task that mends what a sweep found, as JSON."""

from __future__ import annotations

from dataclasses import asdict

from pactkeeper.intent.health import FixTask


def task_document(one: FixTask) -> dict[str, object]:
    """The published form: the fields of seed tasks in their spelling, and ours beside them."""
    return {**asdict(one), "createdAt": one.created_at}
