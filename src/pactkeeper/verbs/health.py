"""Tools that keep main green: run sweeps, and claim the tasks that fix what a sweep found."""

from __future__ import annotations

from typing import Final

from pactkeeper.advice import TRUST
from pactkeeper.errors import UntrustedError
from pactkeeper.health.trust import ANY
from pactkeeper.health.weakening import FixRefusal
from pactkeeper.intent.health import FIX_STATUSES
from pactkeeper.ledger.shape import Choice, Items
from pactkeeper.operators import colours, fix_tasks, sweep
from pactkeeper.operators.fix_tasks import Completed, Completion
from pactkeeper.operators.sweep import Feed, SweepRequest, as_feed
from pactkeeper.published.plain import Codec, plain
from pactkeeper.published.runs import FIX
from pactkeeper.published.schema import returned
from pactkeeper.verbs.verb import ID, REF, Call, Verb, YesWanted, may, needs, texts

MOST_SHOWN: Final = 4_000  # characters shown to a person in one dialogue

MOST_SWEEPS: Final = 1000


def _refusal(one: FixRefusal) -> str:
    return f"{one.subject}: {one.reason}"


_COMPLETED: Final = Codec(
    Completed, "accepted=acceptance.accepted refusals=acceptance.refusals task", refusals=_refusal, task=FIX
)


def sweep_once(asked: Call) -> Feed | YesWanted:
    """Run the checks of a commit, once a person trusts what it declares."""
    request = SweepRequest(asked.maybe("at"), only=asked.texts("only"), trust=_granted(asked))
    try:
        return as_feed(sweep.sweep(asked.workspace, request))
    except UntrustedError as error:
        return _wanted(error)


def _granted(asked: Call) -> str:
    """Return the declaration that a person agreed to; clients cannot grant `any`."""
    return "" if asked.granted == ANY else asked.granted


def _wanted(error: UntrustedError) -> YesWanted:
    """Ask a person to trust the listed commands once, or for good on the command line."""
    lines = "\n".join(error.shown)
    message = f"Run what {error.commit[:12]} declares, this once?\n{lines}" if len(lines) <= MOST_SHOWN else ""
    facts = dict(plain({"runs": list(error.shown), "why": error.message}))
    return YesWanted(error.declaration, message, TRUST("--at", error.commit[:12]), facts)


def complete_fix_task(asked: Call) -> Completed | YesWanted:
    """Have a fix judged by rules; accepting weakened tests is reserved for people at a terminal."""
    wanted = Completion(asked.text("task"), asked.text("commit"), trust=_granted(asked))
    try:
        return fix_tasks.complete_fix_task(asked.workspace, wanted)
    except UntrustedError as error:
        return _wanted(error)


ROWS: Final = (
    Verb(
        sweep.sweep,
        "record",
        "Run the checks of a commit (default: HEAD).",
        title="Sweep",
        categories=("report", "reconcile"),
        routes=("POST /health/sweeps",),
        takes=may(at=REF, only=texts(20)),
        means={"only": "names of checks"},
        gives=(returned(as_feed), {"fixTasks": [FIX]}),
        answer=sweep_once,
        destructive=True,
        runs_code=True,
    ),
    Verb(
        colours.health_status,
        None,
        "Whether main is green, since when, and what to do.",
        routes=("GET /health/main",),
        gives=returned(colours.health_status),
        answer=lambda asked: colours.health_status(asked.workspace),
    ),
    Verb(
        colours.health_timeline,
        None,
        "The last sweeps, and between which commits main turned red.",
        routes=("GET /health/sweeps",),
        gives={"sweeps": returned(colours.health_timeline)},
        pages="sweeps",
        answer=lambda asked: colours.health_timeline(asked.workspace, limit=MOST_SWEEPS),
    ),
    Verb(
        fix_tasks.list_fix_tasks,
        None,
        "Tasks that fix what sweeps found.",
        title="Fix tasks",
        categories=("reconcile",),
        routes=("GET /fix-tasks",),
        takes=may(status=Items(Choice(FIX_STATUSES))),
        gives={"tasks": [FIX]},
        answer=lambda asked: fix_tasks.list_fix_tasks(asked.workspace, asked.given.get("status", ())),
        pages="tasks",
    ),
    Verb(
        fix_tasks.show_fix_task,
        None,
        "One fix task with its failures and when they came.",
        routes=("GET /fix-tasks/{task}",),
        takes=needs(task=ID),
        gives=returned(fix_tasks.show_fix_task),
        answer=lambda asked: fix_tasks.show_fix_task(asked.workspace, asked.text("task")),
    ),
    Verb(
        fix_tasks.claim_fix_task,
        "record",
        "Claim a waiting fix task.",
        title="Claim fix",
        categories=("reconcile",),
        routes=("POST /fix-tasks/{task}/claim",),
        takes=needs(task=ID),
        gives={"task": FIX},
        answer=lambda asked: fix_tasks.claim_fix_task(asked.workspace, asked.text("task")),
    ),
    Verb(
        fix_tasks.complete_fix_task,
        "record",
        "Submit a claimed task's fix: checks pass, no test weakened.",
        title="Complete fix",
        categories=("reconcile",),
        routes=("POST /fix-tasks/{task}/complete",),
        takes=needs(task=ID, commit=REF),
        gives=_COMPLETED,
        answer=complete_fix_task,
        destructive=True,
        runs_code=True,
    ),
)
