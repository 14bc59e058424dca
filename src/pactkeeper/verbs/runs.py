"""Verbs about runs and what they recommend."""

from __future__ import annotations

from typing import Final

from pactkeeper.errors import UsageError
from pactkeeper.intent.records import RECOMMENDATION_STATUSES, AtomRecommendation, MoleculeRecommendation, Wanted
from pactkeeper.ledger.canonical import RUN_STATUSES, Run
from pactkeeper.ledger.decision import Decision
from pactkeeper.ledger.shape import Choice, Items
from pactkeeper.ledger.slices import Slice
from pactkeeper.operators import decide, recommendations, reconcile, runs
from pactkeeper.operators.recommendations import Word
from pactkeeper.published.ops import MADE
from pactkeeper.published.runs import ASKED, EXPORTED, LISTED, METRICS
from pactkeeper.published.schema import returned
from pactkeeper.verbs.verb import EDITED, FLAG, ID, LINE, RUN, Call, Verb, both, may, needs


def list_recommendations(asked: Call) -> Slice:
    """List recommended atoms and molecules."""
    given = asked.given
    wanted = Wanted(given.get("run"), given.get("status"), given.get("test"), given.get("atom"))
    cursor, limit = asked.page()
    return recommendations.recommendation_slice(asked.workspace, wanted, cursor=cursor, limit=limit)


def decide_recommendations(asked: Call) -> tuple[Decision, ...]:
    """Accept, edit or reject the named recommendations, all or none."""
    names = (*asked.texts("names"), *((asked.text("name"),) if "name" in asked.given else ()))
    if bool(names) == asked.flag("everything"):
        raise UsageError("name what to decide, or say everything")
    edited = tuple(asked.given.get("edited", {}).items())
    if bool(edited) != (asked.given["verdict"] == "edit"):
        raise UsageError("an edit, and only an edit, says in `edited` what to declare instead")
    word = Word(asked.given["verdict"], asked.text("reason"), edited)
    return recommendations.decide_recommendations(asked.workspace, names, word, run=asked.text("run"))


ROWS: Final = (
    Verb(
        runs.list_runs,
        None,
        "Runs, newest first.",
        title="Runs",
        categories=("reconcile",),
        routes=("GET /agents/reconciliation/runs",),
        takes=may(status=Choice(RUN_STATUSES)),
        gives={"runs": [LISTED]},
        answer=lambda asked: runs.known_runs(asked.workspace, status=asked.given.get("status")),
        pages="runs",
        dress=runs.listed_runs,
    ),
    Verb(
        runs.run_standing,
        None,
        "One run (default: newest) and its questions.",
        called="show_run",
        title="Run",
        categories=("reconcile",),
        routes=("GET /agents/reconciliation/runs/{run}",),
        takes=may(run=ID),
        gives=(LISTED, {"questions": [ASKED]}),
        answer=lambda asked: runs.run_standing(asked.workspace, asked.maybe("run")),
    ),
    Verb(runs.show_run, None, "A run with everything that the history holds about it.", called="whole_run"),
    Verb(runs.diff_runs, None, "What two runs propose, ask and found differently."),
    Verb(
        runs.cancel_run,
        "record",
        "Stop a run.",
        routes=("POST /agents/reconciliation/runs/{run}/cancel",),
        takes=needs(run=RUN),
        gives={"run": Run},
        answer=lambda asked: runs.cancel_run(asked.workspace, asked.text("run")),
    ),
    Verb(runs.cancel_own_run, "record", "Stop the run that this process is at."),
    Verb(
        reconcile.recover_run,
        "record",
        "Go on with a run that was interrupted or failed.",
        routes=("POST /agents/reconciliation/runs/{run}/recover",),
        takes=may(run=RUN),
        gives=MADE,
        answer=lambda asked: reconcile.recover_run(asked.workspace, asked.maybe("run")),
    ),
    Verb(
        runs.export_run,
        None,
        "All that the history holds about a run.",
        routes=("GET /agents/reconciliation/runs/{run}/export",),
        takes=may(run=RUN),
        gives=EXPORTED,
        answer=lambda asked: runs.export_run(asked.workspace, asked.maybe("run")),
    ),
    Verb(
        runs.run_metrics,
        None,
        "How long the steps of a run took, what they counted and what models cost.",
        routes=("GET /agents/reconciliation/runs/{run}/metrics",),
        takes=may(run=RUN),
        gives=METRICS,
        answer=lambda asked: runs.run_metrics(asked.workspace, asked.maybe("run")),
    ),
    Verb(recommendations.list_recommendations, None, "Recommendations, all at once.", called="all_recommendations"),
    Verb(
        recommendations.recommendation_slice,
        None,
        "What runs recommend, with what became of it.",
        routes=(
            "GET /agents/reconciliation/recommendations",
            "GET /agents/reconciliation/pending?status=pending",
            "GET /agents/reconciliation/runs/{run}/recommendations",
        ),
        takes=may(run=RUN, status=Choice(RECOMMENDATION_STATUSES), test=LINE, atom=ID),
        gives={"recommendations": [AtomRecommendation | MoleculeRecommendation]},
        called="list_recommendations",
        answer=list_recommendations,
        pages="recommendations",
        sliced=True,
    ),
    Verb(
        recommendations.decide_recommendations,
        "record",
        "Accept, edit or reject recommendations of a run, all that are named or none.",
        routes=(
            "POST /agents/reconciliation/runs/{run}/recommendations/batch",
            "POST /agents/reconciliation/runs/{run}/recommendations/{name}/accept?verdict=accept",
            "POST /agents/reconciliation/runs/{run}/recommendations/{name}/reject?verdict=reject",
        ),
        takes=both(
            needs(run=RUN, verdict=Choice(("accept", "edit", "reject"))),
            may(name=ID, names=Items(LINE, 1, 200), everything=FLAG, reason=LINE, edited=EDITED),
        ),
        means={
            "verdict": "what to do with it",
            "edited": "what to declare instead",
            "everything": "all of the run",
        },
        gives={"decisions": [Decision]},
        answer=decide_recommendations,
        version=lambda asked: decide.load_pending(asked.workspace, asked.text("run")).version,
    ),
    Verb(
        recommendations.trace_origin,
        None,
        "From an atom to its recommendation, run and test, and back.",
        routes=(
            "GET /agents/reconciliation/atoms/{name}/trace",
            "GET /agents/reconciliation/molecules/{name}/trace",
            "GET /agents/reconciliation/trace",
        ),
        takes=needs(name=LINE),
        gives={"traces": returned(recommendations.trace_origin)},
        answer=lambda asked: recommendations.trace_origin(asked.workspace, asked.text("name")),
    ),
)
