"""The pages of runs: start one, list them, look at one, stop it or resume it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from pactkeeper.doors.web.page.desk import JOBS, Desk, PageForm, onward, page, read_form
from pactkeeper.errors import UsageError
from pactkeeper.jobs.job import JobRow
from pactkeeper.ledger.policy import Role
from pactkeeper.operators.jobs import ShownJob, cancel_job, list_jobs, list_workers, retry_job, show_job
from pactkeeper.operators.reconcile import Reconciled, reconcile_repo, recover_run
from pactkeeper.operators.runs import ListedRun, ShownRun, cancel_run, list_runs, show_run
from pactkeeper.published.runs import moment
from pactkeeper.reconcile.request import Request as Asked
from pactkeeper.store.workers import Worker
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


def _asked(workspace: Workspace, form: PageForm) -> Asked:
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
    raise UsageError(f"{form.text('do')!r} cannot be done with a run; use cancel or recover")


# Running a job again runs code of the repository.
_NEEDS: Final[dict[str, Role]] = {"cancel": "reviewer", "retry": "admin"}


@dataclass(frozen=True, slots=True)
class ListedLine:
    """The newest jobs of this repository, and all workers."""

    jobs: tuple[JobRow, ...]
    workers: tuple[Worker, ...]


async def listed_jobs(desk: Desk, request: Request) -> Response:
    """The newest jobs first."""
    found = await desk.look(request, _listed)
    return page(request, "jobs.html", JOBS[0], found=found, most=MOST, moment=moment)


def _listed(workspace: Workspace) -> ListedLine:
    around = workspace.surroundings
    return ListedLine(list_jobs(around, subject=workspace.identity, limit=MOST), list_workers(around))


async def shown_job(desk: Desk, request: Request) -> Response:
    """One job: what it runs, where, its result, and which workers lost it."""
    name = request.path_params["job"]
    found = await desk.look(request, lambda workspace: _own(workspace, name))
    return page(request, "job.html", JOBS[0], found=found, moment=moment)


async def change_job(desk: Desk, request: Request) -> Response:
    """Cancel a job, or run it again."""
    name, form = request.path_params["job"], await read_form(request)
    act = form.text("do")
    if act not in _NEEDS:
        raise UsageError(f"{act!r} cannot be done with a job; use cancel or retry")
    do = {"cancel": cancel_job, "retry": retry_job}[act]
    await desk.write(
        request, lambda workspace: do(workspace.surroundings, _own(workspace, name).row.id), need=_NEEDS[act]
    )
    return onward(request, f"/jobs/{name}")


def _own(workspace: Workspace, name: str) -> ShownJob:
    found = show_job(workspace.surroundings, name)
    if found.row.job.subject != workspace.identity:
        raise UsageError(f"the queue has no job {name!r} of this repository; see the jobs page")
    return found
