"""Tools that keep main green: sweep, and take the tasks that mend what a sweep found."""

from __future__ import annotations

from pactkeeper.doors.cli.fixes import task_document
from pactkeeper.doors.mcp.plain import plain
from pactkeeper.doors.mcp.tool import Call, Document
from pactkeeper.operators import fix_tasks
from pactkeeper.operators.fix_tasks import Completion
from pactkeeper.operators.sweep import SweepRequest
from pactkeeper.operators.sweep import sweep as run_sweep
from pactkeeper.operators.sweep_document import as_feed


def sweep(asked: Call) -> Document:
    """Run the checks of a commit."""
    found = run_sweep(asked.workspace, SweepRequest(asked.maybe("at"), only=asked.texts("only")))
    return {name: plain(value) for name, value in as_feed(found).items() if name != "schema"}


def list_fix_tasks(asked: Call) -> Document:
    """List tasks, by default those that are still to be done."""
    found = fix_tasks.list_fix_tasks(asked.workspace, asked.given.get("status", ()))
    return {"tasks": [plain(task_document(one)) for one in found]}


def claim_fix_task(asked: Call) -> Document:
    """Take a task, in the name of the client and the person it acts for."""
    return {"task": plain(task_document(fix_tasks.claim_fix_task(asked.workspace, asked.text("task"))))}


def complete_fix_task(asked: Call) -> Document:
    """Have a fix judged by rules; taking weakened tests on one's word is left to people at a terminal."""
    done = fix_tasks.complete_fix_task(asked.workspace, Completion(asked.text("task"), asked.text("commit")))
    return {
        "accepted": done.acceptance.accepted,
        "refusals": [f"{one.subject}: {one.reason}" for one in done.acceptance.refusals],
        "task": plain(task_document(done.task)),
    }
