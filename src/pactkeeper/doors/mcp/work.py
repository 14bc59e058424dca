"""The rows of tools for work that agents are handed: sweeps, the tasks that mend them, and actions on boards."""

from __future__ import annotations

from typing import Final

from pactkeeper.doors.mcp.calls import actions, health
from pactkeeper.doors.mcp.shapes import ACTION, ID, REF
from pactkeeper.doors.mcp.tool import Tool, may, needs, texts
from pactkeeper.intent.health import FIX_STATUSES
from pactkeeper.ledger.shape import Choice, Items

WORK: Final = (
    Tool(
        "sweep",
        "Sweep",
        "Run the project's checks at HEAD or a commit; tells failures and new fix tasks.",
        may(at=REF, only=texts(20)),
        {"green": "boolean", "colour": "string", "fixTasks": "array", "sweep": "object"},
        health.sweep,
        destructive=True,
        runs_code=True,
    ),
    Tool(
        "list_fix_tasks",
        "Fix tasks",
        "Tasks that mend what sweeps found.",
        may(status=Items(Choice(FIX_STATUSES))),
        {"tasks": "array"},
        health.list_fix_tasks,
        pages="tasks",
    ),
    Tool(
        "claim_fix_task",
        "Claim fix",
        "Take a fix task that waits.",
        needs(task=ID),
        {"task": "object"},
        health.claim_fix_task,
    ),
    Tool(
        "complete_fix_task",
        "Complete fix",
        "Have the commit that fixes a claimed task judged: checks pass, tests ask no less.",
        needs(task=ID, commit=REF),
        {"accepted": "boolean", "refusals": "array", "task": "object"},
        health.complete_fix_task,
        destructive=True,
        runs_code=True,
    ),
    Tool(
        "review_actions",
        "Board actions",
        "What transcripts suggest for a person's boards; propose verdicts as shown, a person decides.",
        may(decisions=Items(ACTION, 1, 50)),
        {"your_call": "array", "conflicts": "array", "confirm": "string"},
        actions.review_actions,
        pages="your_call",
        idempotent=True,
        per_page=10,
    ),
)
