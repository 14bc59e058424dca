"""A run with what became of what it proposed, as JSON."""

from __future__ import annotations

from dataclasses import asdict

from pactkeeper.operators.reconcile import Reconciled
from pactkeeper.operators.runs import ListedRun


def run_state(one: ListedRun) -> str:
    """The status of a run; "interrupted" where its process is gone."""
    return "interrupted" if one.interrupted else one.run.status


def run_document(one: ListedRun) -> dict[str, object]:
    """The published form of one run."""
    return {"run": asdict(one.run), "state": run_state(one), "ops": dict(one.fates)}


def made_document(made: Reconciled) -> dict[str, object]:
    """What a run came to, in counts; `get_patch` has the ops."""
    return {
        "run": made.run.id,
        "status": made.run.status,
        "patch": made.patch.id,
        "ops": len(made.patch.ops),
        "questions": len(made.patch.questions),
        "findings": len(made.patch.findings),
        "left_out": dict(made.left_out),
        "waiting": made.waiting,
    }
