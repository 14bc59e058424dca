"""The URLs of a repository's pages.

Also here: the pages of the pact, with a search for atoms, one atom with its history, and molecules as a picture.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from math import ceil
from typing import Final, cast, get_args

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.staticfiles import StaticFiles

from pactkeeper.doors.web.page import asking, committing, overview, review_pages, runs, threads
from pactkeeper.doors.web.page.desk import HERE, NAV, PREFIX, Desk, base_of, page
from pactkeeper.doors.web.problems import WebProblem, problem_of
from pactkeeper.errors import PactkeeperError
from pactkeeper.intent.atoms import CATEGORIES, Status, atoms_within
from pactkeeper.intent.listing import AtomFilter
from pactkeeper.intent.pact import Pact
from pactkeeper.operators.atoms import AtomPage, AtomQuery, list_atoms
from pactkeeper.operators.explain import explain_atom
from pactkeeper.operators.molecules import list_molecules
from pactkeeper.reconcile.molecules import Grouping
from pactkeeper.verbs.calling import House
from pactkeeper.workspace import Workspace

SECTION: Final = "/pact"
PER_PAGE: Final = 50
MOST_GROUPS: Final = 80
DOTS: Final = 12  # atoms per row of the picture
STATUSES: Final[tuple[str, ...]] = get_args(Status)


async def listed(desk: Desk, request: Request) -> Response:
    """Atoms, searched and filtered, a page at a time."""
    asked = request.query_params
    words, status, category = asked.get("words", ""), asked.get("status", ""), asked.get("category", "")
    number = asked.get("part", "1")
    wanted = AtomFilter(
        (cast("Status", status),) if status in STATUSES else (),
        (category,) if category in CATEGORIES else (),
        text=words,
    )
    part = int(number) if number.isdecimal() and len(number) <= len(str(PER_PAGE**2)) else 1
    query = AtomQuery(wanted, page=max(1, part), limit=PER_PAGE, backing="any")
    found: AtomPage = await desk.look(request, lambda workspace: list_atoms(workspace, query))
    chosen = {"words": words, "status": status, "category": category}
    return page(request, "pact.html", SECTION, found=found, chosen=chosen, statuses=STATUSES, categories=CATEGORIES)


async def shown(desk: Desk, request: Request) -> Response:
    """Everything known about one atom."""
    name = request.path_params["atom"]
    found = await desk.look(request, lambda workspace: explain_atom(workspace, name))
    return page(request, "atom.html", SECTION, found=found)


@dataclass(frozen=True, slots=True)
class Dot:
    """One atom of the picture, with its position and status."""

    atom: str
    intent: str
    status: str
    x: int
    y: int


@dataclass(frozen=True, slots=True)
class MoleculeBox:
    """One molecule of the picture: its box, and its atoms as dots."""

    name: str
    stored: bool
    dots: tuple[Dot, ...]

    @property
    def height(self) -> int:
        """The height of its dots."""
        return 20 * ceil(len(self.dots) / DOTS) + 4


async def molecules(desk: Desk, request: Request) -> Response:
    """Molecules, stored ones first, with each atom a dot that links to it."""
    by: Grouping = "concept" if request.query_params.get("by") == "concept" else "path"

    def work(workspace: Workspace) -> tuple[Sequence[MoleculeBox], int]:
        found = list_molecules(workspace, by)
        pact = found.pact
        stored = [(one.name, True, pact.in_force(atoms_within(one.id, pact.molecules))) for one in found.stored]
        computed = [(one.name, False, one.atoms) for one in found.computed]
        groups = [_group(name, atoms, pact, stored=kept) for name, kept, atoms in (*stored, *computed)]
        return groups[:MOST_GROUPS], max(0, len(groups) - MOST_GROUPS)

    groups, more = await desk.look(request, work)
    return page(request, "molecules.html", SECTION, groups=groups, more=more, by=by)


def _group(name: str, atoms: Sequence[str], pact: Pact, *, stored: bool) -> MoleculeBox:
    known = [one for one in dict.fromkeys(atoms) if one in pact.atoms]
    dots = tuple(_dot(one, place, pact) for place, one in enumerate(known))
    return MoleculeBox(name, stored, dots)


def _dot(name: str, place: int, pact: Pact) -> Dot:
    x, y = place % DOTS * 20 + 12, place // DOTS * 20 + 12
    return Dot(name, pact.atoms[name].intent, str(pact.status_of(name)), x, y)


Shows = Callable[[Desk, Request], Awaitable[Response]]

PAGES: Final[tuple[tuple[str, str, Shows], ...]] = (
    ("GET", "", overview.show),
    ("GET", "/review", review_pages.newest),
    ("GET", "/review/{run}", review_pages.show),
    ("POST", "/review/{run}/decide", review_pages.decide),
    ("GET", "/review/{run}/diff", review_pages.diff),
    ("POST", "/review/{run}/apply", review_pages.apply),
    ("GET", "/written", review_pages.written),
    ("POST", "/written", review_pages.undo),
    ("GET", "/runs", runs.listed),
    ("POST", "/runs", runs.start),
    ("GET", "/runs/{run}", runs.shown),
    ("POST", "/runs/{run}", runs.change),
    ("GET", "/words", asking.show_words),
    ("POST", "/words", asking.give),
    ("GET", "/questions", asking.show),
    ("POST", "/questions/{question}", asking.answer),
    ("GET", "/pact", listed),
    ("GET", "/pact/{atom}", shown),
    ("GET", "/molecules", molecules),
    ("GET", "/commit", committing.show),
    ("POST", "/commit", committing.commit),
    ("GET", "/threads", threads.listed),
    ("GET", "/threads/{thread}", threads.shown),
    ("POST", "/threads/{thread}", threads.speak),
    ("GET", "/health", overview.show_health),
    ("GET", "/ask", asking.show_answer),
    ("GET", "/jobs", runs.listed_jobs),
    ("GET", "/jobs/{job}", runs.shown_job),
    ("POST", "/jobs/{job}", runs.change_job),
)


def pages(house: House) -> APIRouter:
    """Every page of a repository, below `/page`."""
    desk, router = Desk(house), APIRouter(include_in_schema=False)

    async def start(request: Request) -> Response:
        return RedirectResponse(base_of(request), 303)

    router.add_api_route("/", start)
    for method, path, shows in PAGES:
        router.add_api_route(PREFIX + path, _answering(desk, shows), methods=[method])
    return router


def static_files() -> StaticFiles:
    """The stylesheet, the script and the mark."""
    return StaticFiles(directory=HERE / "static")


def _answering(desk: Desk, shows: Shows) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        try:
            return await shows(desk, request)
        except WebProblem as problem:
            return _told(request, problem)
        except PactkeeperError as error:
            return _told(request, problem_of(error, named=request.method == "GET", decides=False))

    return answer


def _told(request: Request, problem: WebProblem) -> Response:
    title = "Nothing to show" if problem.status == HTTPStatus.NOT_FOUND else HTTPStatus(problem.status).phrase
    below = request.url.path.removeprefix(base_of(request))
    section, name = next((one for one in NAV if one[0] and below.startswith(one[0])), NAV[0])
    return page(request, "problem.html", section, problem.status, title=title, detail=problem.detail, name=name)
