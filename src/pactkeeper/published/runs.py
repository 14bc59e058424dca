"""A run with what became of what it proposed, as JSON."""

from __future__ import annotations

from dataclasses import asdict

from pactkeeper.operators.runs import ListedRun


def run_state(one: ListedRun) -> str:
    """The status of a run; "interrupted" where its process is gone."""
    return "interrupted" if one.interrupted else one.run.status


def run_document(one: ListedRun) -> dict[str, object]:
    """The published form of one run."""
    return {"run": asdict(one.run), "state": run_state(one), "ops": dict(one.fates)}
