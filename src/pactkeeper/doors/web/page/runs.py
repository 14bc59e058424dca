"""The pages of runs: start one, list them, look at one, stop it or resume it."""

from __future__ import annotations

from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from pactkeeper.doors.web.page.desk import Desk, Form, read_form
from pactkeeper.doors.web.page.rendering import onward, page
from pactkeeper.errors import UsageError
from pactkeeper.operators.reconcile import Reconciled, reconcile_repo, recover_run
from pactkeeper.operators.runs import ListedRun, ShownRun, cancel_run, list_runs, show_run
from pactkeeper.reconcile.request import Request as Asked
from pactkeeper.workspace import Workspace

SECTION: Final = "/runs"
MOST: Final = 100


async def listed(desk: Desk, request: Request) -> Response:
    """Every run, newest first, and a form to start one."""
    found: list[ListedRun] = await desk.look(request, lambda workspace: list_runs(workspace, limit=MOST))
    return page(request, "runs.html", SECTION, runs=found, most=MOST, empty=request.query_params.get("empty", ""))


async def start(desk: Desk, request: Request) -> Response:
    """Make a patch, and go on to its review."""
    form = await read_form(request)
    made = await desk.write(request, lambda workspace: reconcile_repo(workspace, _asked(workspace, form)))
    return onward(request, _next(made))


def _asked(workspace: Workspace, form: Form) -> Asked:
    paths = workspace.relative(form.lines("paths"), start=workspace.repository.root)
    return Asked(paths, everything=form.text("what") == "everything")


def _next(made: Reconciled) -> str:
    if made.patch.ops:
        return f"/review/{made.run.id}"
    return "/questions" if made.patch.questions else f"/runs?empty={made.run.id}"


async def shown(desk: Desk, request: Request) -> Response:
    """One run: what it covered, what became of its proposals, and how long its steps took."""
    name = request.path_params["run"]
    found: ShownRun = await desk.look(request, lambda workspace: show_run(workspace, name))
    return page(request, "run.html", SECTION, found=found)


async def change(desk: Desk, request: Request) -> Response:
    """Stop a run, or resume one that was interrupted."""
    name = request.path_params["run"]
    form = await read_form(request)
    if form.text("do") == "cancel":
        await desk.write(request, lambda workspace: cancel_run(workspace, name))
        return onward(request, f"/runs/{name}")
    if form.text("do") == "recover":
        made = await desk.write(request, lambda workspace: recover_run(workspace, name))
        return onward(request, _next(made))
    raise UsageError(f"{form.text('do')!r} is nothing that can be done with a run; say cancel or recover")
