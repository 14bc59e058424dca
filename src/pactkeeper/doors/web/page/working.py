"""The page of jobs: what waits and runs for this repository, the results, and which workers are alive."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from pactkeeper.doors.web.page.desk import Desk, read_form
from pactkeeper.doors.web.page.rendering import JOBS, onward, page
from pactkeeper.errors import UsageError
from pactkeeper.jobs.job import JobRow
from pactkeeper.ledger.roles import Role
from pactkeeper.operators.jobs import ShownJob, cancel_job, list_jobs, list_workers, retry_job, show_job
from pactkeeper.published.jobs import moment
from pactkeeper.store.workers import Worker
from pactkeeper.workspace import Workspace

MOST: Final = 100
# Running a job again runs code of the repository.
_NEEDS: Final[dict[str, Role]] = {"cancel": "reviewer", "retry": "admin"}


@dataclass(frozen=True, slots=True)
class Listed:
    """The newest jobs of this repository, and all workers."""

    jobs: tuple[JobRow, ...]
    workers: tuple[Worker, ...]


async def listed(desk: Desk, request: Request) -> Response:
    """The newest jobs first."""
    found = await desk.look(request, _listed)
    return page(request, "jobs.html", JOBS[0], found=found, most=MOST, moment=moment)


def _listed(workspace: Workspace) -> Listed:
    around = workspace.surroundings
    return Listed(list_jobs(around, subject=workspace.identity, limit=MOST), list_workers(around))


async def shown(desk: Desk, request: Request) -> Response:
    """One job: what it runs, where, its result, and which workers lost it."""
    name = request.path_params["job"]
    found = await desk.look(request, lambda workspace: _own(workspace, name))
    return page(request, "job.html", JOBS[0], found=found, moment=moment)


async def change(desk: Desk, request: Request) -> Response:
    """Cancel a job, or run it again."""
    name, form = request.path_params["job"], await read_form(request)
    act = form.text("do")
    if act not in _NEEDS:
        raise UsageError(f"{act!r} is nothing that can be done with a job; say cancel or retry")
    do = {"cancel": cancel_job, "retry": retry_job}[act]
    await desk.write(
        request, lambda workspace: do(workspace.surroundings, _own(workspace, name).row.id), need=_NEEDS[act]
    )
    return onward(request, f"/jobs/{name}")


def _own(workspace: Workspace, name: str) -> ShownJob:
    found = show_job(workspace.surroundings, name)
    if found.row.job.subject != workspace.identity:
        raise UsageError(f"the queue has no job {name!r} of this repository; the page of jobs lists its jobs")
    return found
