"""The addresses of the pages of one repository."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Final

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.staticfiles import StaticFiles

from pactkeeper.doors.web.page import (
    answering,
    asking,
    catalogue,
    committing,
    overview,
    review_pages,
    runs,
    standing,
    threads,
    wording,
    working,
    writing,
)
from pactkeeper.doors.web.page.desk import Desk
from pactkeeper.doors.web.page.rendering import HERE, PREFIX, base_of, page
from pactkeeper.doors.web.problems import Problem, problem_of
from pactkeeper.errors import PactkeeperError
from pactkeeper.verbs.calling import Failed, House

Shows = Callable[[Desk, Request], Awaitable[Response]]

PAGES: Final[tuple[tuple[str, str, Shows], ...]] = (
    ("GET", "", overview.show),
    ("GET", "/review", review_pages.newest),
    ("GET", "/review/{run}", review_pages.show),
    ("POST", "/review/{run}/decide", review_pages.decide),
    ("GET", "/review/{run}/diff", review_pages.diff),
    ("POST", "/review/{run}/apply", review_pages.apply),
    ("GET", "/written", writing.show),
    ("POST", "/written", writing.undo),
    ("GET", "/runs", runs.listed),
    ("POST", "/runs", runs.start),
    ("GET", "/runs/{run}", runs.shown),
    ("POST", "/runs/{run}", runs.change),
    ("GET", "/words", wording.show),
    ("POST", "/words", wording.give),
    ("GET", "/questions", asking.show),
    ("POST", "/questions/{question}", asking.answer),
    ("GET", "/pact", catalogue.listed),
    ("GET", "/pact/{atom}", catalogue.shown),
    ("GET", "/molecules", catalogue.molecules),
    ("GET", "/commit", committing.show),
    ("POST", "/commit", committing.commit),
    ("GET", "/threads", threads.listed),
    ("GET", "/threads/{thread}", threads.shown),
    ("POST", "/threads/{thread}", threads.speak),
    ("GET", "/health", standing.show),
    ("GET", "/ask", answering.show),
    ("GET", "/jobs", working.listed),
    ("GET", "/jobs/{job}", working.shown),
    ("POST", "/jobs/{job}", working.change),
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
        except Problem as problem:
            return _told(request, problem)
        except PactkeeperError as error:
            return _told(request, _problem(error, reads=request.method == "GET"))

    return answer


def _problem(error: PactkeeperError, *, reads: bool) -> Problem:
    failed = Failed(str(error))
    failed.__cause__ = error
    return problem_of(failed, named=reads, decides=False)


def _told(request: Request, problem: Problem) -> Response:
    title = HTTPStatus(problem.status).phrase
    return page(request, "problem.html", "", problem.status, title=title, detail=problem.detail)
