"""The page of health: whether main is green and since when, the sweeps as a picture, and what needs fixing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from pactkeeper.doors.web.page.desk import Desk
from pactkeeper.doors.web.page.rendering import page
from pactkeeper.intent.health import FixTask
from pactkeeper.operators.fix_tasks import list_fix_tasks
from pactkeeper.operators.health_view import HealthStatus, Moment, health_status, health_timeline
from pactkeeper.workspace import Workspace

SECTION: Final = "/health"
MOST: Final = 60
STEP: Final = 16  # between two sweeps in the picture


@dataclass(frozen=True, slots=True)
class Health:
    """Everything on the page; `moments` are oldest first, as in the picture."""

    status: HealthStatus
    moments: tuple[Moment, ...]
    tasks: tuple[FixTask, ...]

    @property
    def width(self) -> int:
        """The width of the picture."""
        return max(1, len(self.moments)) * STEP


async def show(desk: Desk, request: Request) -> Response:
    """Show whether main is green; nothing is run."""
    found = await desk.look(request, _health)
    return page(request, "health.html", SECTION, found=found, step=STEP)


def _health(workspace: Workspace) -> Health:
    moments = tuple(reversed(health_timeline(workspace, limit=MOST)))
    return Health(health_status(workspace), moments, list_fix_tasks(workspace))
