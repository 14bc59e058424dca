"""A run with what became of what it proposed, as JSON."""

from __future__ import annotations

from typing import Final

from pactkeeper.operators.reconcile import Reconciled
from pactkeeper.operators.runs import ListedRun
from pactkeeper.published.plain import Codec


def run_state(one: ListedRun) -> str:
    """The status of a run; "interrupted" where its process is gone."""
    return "interrupted" if one.interrupted else one.run.status


LISTED: Final = Codec(ListedRun, "run state= ops=fates", state=run_state)
MADE: Final = Codec(
    Reconciled,
    "run=run.id status=run.status patch=patch.id ops= questions= findings= left_out= waiting",
    ops=lambda made: len(made.patch.ops),
    questions=lambda made: len(made.patch.questions),
    findings=lambda made: len(made.patch.findings),
    left_out=lambda made: dict(made.left_out),
)
