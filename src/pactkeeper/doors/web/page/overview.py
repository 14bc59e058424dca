"""The first page: how much of what was declared is proven, what disagrees, and what to do next.

Charts are SVG made on the server: bars of shares and a line over time. Each also has its numbers as text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, get_args

from starlette.requests import Request
from starlette.responses import Response

from pactkeeper.chat.standing import beyond_sweeps
from pactkeeper.doors.web.page.desk import Desk, page
from pactkeeper.health.watching import Colour, colour
from pactkeeper.intent.health import FixTask
from pactkeeper.intent.links import TestState
from pactkeeper.ledger.finding import SEVERITIES
from pactkeeper.operators.backlog import BacklogFilter, next_task
from pactkeeper.operators.check import Row, check_repo
from pactkeeper.operators.colours import HealthStatus, Moment, health_status, health_timeline
from pactkeeper.operators.fix_tasks import list_fix_tasks
from pactkeeper.operators.observe import Statistics, get_statistics
from pactkeeper.operators.runs import list_runs
from pactkeeper.operators.view import StateView
from pactkeeper.reconcile.task import Task
from pactkeeper.workspace import Workspace

WIDTH, HEIGHT = 640, 120


@dataclass(frozen=True, slots=True)
class Share:
    """One part of a whole; `kind` is its CSS class, `start` and `width` are in thousandths."""

    name: str
    count: int
    kind: str
    start: float = 0.0
    width: float = 0.0


def shares(parts: Sequence[tuple[str, int, str]]) -> tuple[Share, ...]:
    """Parts of a whole side by side, empty ones left out."""
    total = sum(count for _, count, _ in parts) or 1
    made: list[Share] = []
    start = 0.0
    for name, count, kind in parts:
        if count:
            width = count * 1000 / total
            made.append(Share(name, count, kind, round(start, 2), round(width, 2)))
            start += width
    return tuple(made)


@dataclass(frozen=True, slots=True)
class TrendLine:
    """A line over time: SVG points, the area below it, and the labels of its ends."""

    points: str
    area: str
    first: str
    last: str
    low: int
    high: int


def line(values: Sequence[tuple[str, int]]) -> TrendLine | None:
    """A line of percentages over time, oldest first; None for fewer than two points."""
    if len(values) <= 1:
        return None
    step = WIDTH / (len(values) - 1)
    places = [
        (round(index * step, 1), round(HEIGHT - value * HEIGHT / 100, 1)) for index, (_, value) in enumerate(values)
    ]
    points = " ".join(f"{x},{y}" for x, y in places)
    numbers = [value for _, value in values]
    return TrendLine(
        points, f"0,{HEIGHT} {points} {WIDTH},{HEIGHT}", values[0][0], values[-1][0], min(numbers), max(numbers)
    )


MOST_FINDINGS: Final = 12
MOST_RUNS: Final = 60
_KINDS: Final = {
    "linked": "good",
    "unratified": "held",
    "rejected": "soft",
    **dict.fromkeys(("debt", "changed_debt", "orphan"), "none"),
}


@dataclass(frozen=True, slots=True)
class Overview:
    """Everything on the first page."""

    counted: Statistics
    tests: tuple[Share, ...]
    atoms: tuple[Share, ...]
    proof: tuple[Share, ...]
    over_time: TrendLine | None
    findings: tuple[Row, ...]
    task: Task | None  # also None if changes wait for a review, which then comes next


async def show(desk: Desk, request: Request) -> Response:
    """The first page."""
    found = await desk.look(request, overview)
    return page(request, "overview.html", "", found=found, most=MOST_FINDINGS)


def overview(workspace: Workspace) -> Overview:
    """Collect everything for the first page."""
    counted = get_statistics(workspace)
    task = None if counted.pending else next_task(workspace, BacklogFilter())
    findings = sorted(check_repo(workspace, StateView()).findings, key=lambda one: SEVERITIES.index(one.severity))
    proof = counted.proof.tests if counted.proof is not None else {}
    return Overview(
        counted,
        _tests(counted.tests),
        _atoms(counted.atoms),
        _proof(proof),
        _over_time(workspace),
        tuple(findings),
        task,
    )


def _tests(counts: Mapping[str, int]) -> tuple[Share, ...]:
    """The states, by the names that `pk check` prints."""
    return shares([(one.replace("_", " "), counts.get(one, 0), _KINDS.get(one, "bad")) for one in get_args(TestState)])


def _atoms(counts: Mapping[str, int]) -> tuple[Share, ...]:
    kinds = {"committed": "good", "proposed": "held", "draft": "soft", "superseded": "none", "abandoned": "none"}
    return shares([(name, counts.get(name, 0), kind) for name, kind in kinds.items()])


def _proof(counts: Mapping[str, int]) -> tuple[Share, ...]:
    kinds = {"proven": "good", "stale": "held", "failing": "bad", "none": "none"}
    said = {"none": "no run known"}
    return shares([(said.get(name, name), counts.get(name, 0), kind) for name, kind in kinds.items()])


def _over_time(workspace: Workspace) -> TrendLine | None:
    """The percentage of tests with an intent at each run."""
    runs = [one.run for one in reversed(list_runs(workspace, limit=MOST_RUNS))]
    counted = [one for one in runs if one.summary.get("tests") and "orphans" in one.summary]
    return line([(one.created_at, 100 - one.summary["orphans"] * 100 // one.summary["tests"]) for one in counted])


SECTION: Final = "/health"
MOST: Final = 60
STEP: Final = 16  # between two sweeps in the picture


@dataclass(frozen=True, slots=True)
class HealthPanel:
    """Everything on the page; `moments` are oldest first, as in the picture."""

    status: HealthStatus
    moments: tuple[Moment, ...]
    tasks: tuple[FixTask, ...]
    told: str

    @property
    def width(self) -> int:
        """The width of the picture."""
        return max(1, len(self.moments)) * STEP

    @property
    def seen(self) -> Colour:
        """What the last sweep saw."""
        return "not known" if self.status.last is None else colour(self.status.last)


async def show_health(desk: Desk, request: Request) -> Response:
    """Show whether main is green; nothing is run."""
    found = await desk.look(request, _health)
    return page(request, "health.html", SECTION, found=found, step=STEP)


def _health(workspace: Workspace) -> HealthPanel:
    moments = tuple(reversed(health_timeline(workspace, limit=MOST)))
    status = health_status(workspace)
    return HealthPanel(status, moments, list_fix_tasks(workspace), beyond_sweeps(workspace, status.colour)[1])
