"""Tools that keep main green: sweep, and take the tasks that mend what a sweep found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pactkeeper.doors.cli.fixes import task_document
from pactkeeper.doors.mcp.plain import plain
from pactkeeper.doors.mcp.tool import Call, Document, YesWanted
from pactkeeper.errors import UntrustedError
from pactkeeper.health.trust import ANY
from pactkeeper.intent.health import FixTask
from pactkeeper.operators import call
from pactkeeper.operators.fix_tasks import Completed, Completion
from pactkeeper.operators.sweep import SweepRequest, Swept
from pactkeeper.operators.sweep_document import as_feed

MOST_SHOWN: Final = 4_000  # characters that a person is asked about in one dialogue


def sweep(asked: Call) -> Document | YesWanted:
    """Run the checks of a commit, once a person trusts what it declares."""
    request = SweepRequest(asked.maybe("at"), only=asked.texts("only"), trust=_granted(asked))
    try:
        found: Swept = call("sweep", asked.workspace, request)
    except UntrustedError as error:
        return _wanted(error)
    return {name: plain(value) for name, value in as_feed(found).items() if name != "schema"}


def _granted(asked: Call) -> str:
    """The declaration that a person said yes to; a client cannot say `any`."""
    return "" if asked.granted == ANY else asked.granted


def _wanted(error: UntrustedError) -> YesWanted:
    """What would run, for a person to trust this once, or for good at a terminal."""
    lines = "\n".join(error.shown)
    message = f"Run what {error.commit[:12]} declares, this once?\n{lines}" if len(lines) <= MOST_SHOWN else ""
    command = f"pk health trust --at {error.commit[:12]}"
    return YesWanted(error.declaration, message, command, {"runs": list(error.shown), "why": str(error)})


def list_fix_tasks(asked: Call) -> Document:
    """List tasks, by default those that are still to be done."""
    found: Sequence[FixTask] = call("list_fix_tasks", asked.workspace, asked.texts("status"))
    return {"tasks": [plain(task_document(one)) for one in found]}


def claim_fix_task(asked: Call) -> Document:
    """Take a task, in the name of the client and the person it acts for."""
    return {"task": plain(task_document(call("claim_fix_task", asked.workspace, asked.text("task"))))}


def complete_fix_task(asked: Call) -> Document | YesWanted:
    """Have a fix judged by rules; taking weakened tests on one's word is left to people at a terminal."""
    wanted = Completion(asked.text("task"), asked.text("commit"), trust=_granted(asked))
    try:
        done: Completed = call("complete_fix_task", asked.workspace, wanted)
    except UntrustedError as error:
        return _wanted(error)
    return {
        "accepted": done.acceptance.accepted,
        "refusals": [f"{one.subject}: {one.reason}" for one in done.acceptance.refusals],
        "task": plain(task_document(done.task)),
    }
