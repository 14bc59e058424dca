"""The page of health: whether main is green and since when, the sweeps as a picture, and what is to be mended."""

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
STEP: Final = 16  # between two sweeps of the picture


@dataclass(frozen=True, slots=True)
class Health:
    """Everything on the page; `moments` are the oldest first, as the picture shows them."""

    status: HealthStatus
    moments: tuple[Moment, ...]
    tasks: tuple[FixTask, ...]

    @property
    def width(self) -> int:
        """How wide the picture is."""
        return max(1, len(self.moments)) * STEP


async def show(desk: Desk, request: Request) -> Response:
    """Whether main is green; nothing is run."""
    found = await desk.look(request, _health)
    return page(request, "health.html", SECTION, found=found, step=STEP)


def _health(workspace: Workspace) -> Health:
    moments = tuple(reversed(health_timeline(workspace, limit=MOST)))
    return Health(health_status(workspace), moments, list_fix_tasks(workspace))
