"""The application: a path for every route of the table, and the few that are about the server itself."""

from __future__ import annotations

import secrets
import sys
import time
import traceback
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
from fastapi import FastAPI
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Match

from pactkeeper import __version__
from pactkeeper.doors.web.answering import Answering, endpoint
from pactkeeper.doors.web.describing import described, responses
from pactkeeper.doors.web.entering import Entered, Site, bearer, host_of
from pactkeeper.doors.web.local import Tokens
from pactkeeper.doors.web.measuring import Measures
from pactkeeper.doors.web.page.routing import pages, static_files
from pactkeeper.doors.web.plain import goodbye, welcome
from pactkeeper.doors.web.problems import TITLES, Problem
from pactkeeper.doors.web.repeating import Repeats
from pactkeeper.doors.web.routes import routes
from pactkeeper.verbs.calling import House
from pactkeeper.verbs.listening import Address
from pactkeeper.verbs.pages import Pages

ABOUT = (
    "The pact of one repository and what its tests say. Lists come in pages with their total: repeat a request with "
    "the `cursor` of a page for the next. What is written is shown first (202) and done when the same request brings "
    "the key in the header `Consent`; nothing here commits atoms. Errors are problem documents (RFC 9457)."
)


METHOD = 405


def application(folder: Path, address: Address, tokens: Tokens) -> Entered:
    """The application for the repository that contains `folder`, for who has the token."""
    site, measures = Site.at(address), Measures()
    app = repository_app(
        House(folder, Pages(time.monotonic, lambda: secrets.token_urlsafe(12)), anyio.Lock()), measures
    )
    about_the_server(app, measures)
    _sessions(app, site, tokens)
    return Entered(app, site, tokens)


def repository_app(house: House, measures: Measures) -> FastAPI:
    """The paths of one repository."""
    app = bare_app(measures)
    answering = Answering(house, Repeats(time.monotonic))
    for route in routes():
        app.add_api_route(
            route.path,
            endpoint(answering, route),
            methods=[route.method],
            operation_id=route.operation,
            summary=route.verb.does,
            response_class=JSONResponse,
            responses=responses(route),
            openapi_extra=described(route),
        )
    app.include_router(pages(house))
    app.mount("/static", static_files())
    return app


def bare_app(measures: Measures) -> FastAPI:
    """An application that counts what it answers, and tells problems as such."""
    app = FastAPI(title="Pactkeeper", version=__version__, description=ABOUT, docs_url=None, redoc_url=None)
    _measure(app, measures)
    app.add_exception_handler(Problem, _problem)
    app.add_exception_handler(HTTPException, _unknown)
    return app


def about_the_server(app: FastAPI, measures: Measures) -> None:
    """Whether it answers, and what it counted."""

    async def health() -> dict[str, str]:
        return {"status": "ok", "version": __version__}

    async def metrics() -> Response:
        return PlainTextResponse(measures.text(), media_type="text/plain; version=0.0.4; charset=utf-8")

    app.add_api_route("/health", health, summary="Whether the server answers.")
    app.add_api_route("/metrics", metrics, include_in_schema=False)


def _sessions(app: FastAPI, site: Site, tokens: Tokens) -> None:
    """How a person gets in and out: a browser by a cookie, a program by a token."""

    async def session(request: Request) -> Response:
        made = tokens.open(bearer(request.scope))
        if made is None:
            raise Problem(401, "send the one-time token that the server told; it opens one session")
        return JSONResponse({"token": made}, 201)

    async def enter(request: Request) -> Response:
        made = tokens.open(request.query_params.get("token", ""))
        if made is None:
            return tokens.lobby(request.url.path)
        return welcome(site.cookie(host_of(request)), made, secure=site.secure)

    async def leave(request: Request) -> Response:
        cookie = site.cookie(host_of(request))
        tokens.close(request.cookies.get(cookie, ""))
        return goodbye(cookie, secure=site.secure)

    app.add_api_route("/session", session, methods=["POST"], include_in_schema=False)
    app.add_api_route("/enter", enter, include_in_schema=False)
    app.add_api_route("/sign-out", leave, methods=["POST"], include_in_schema=False)


def _measure(app: FastAPI, measures: Measures) -> None:
    async def timed(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
        began, status = time.monotonic(), 500
        try:
            response = await call_next(request)
            status = response.status_code
        except Exception as error:  # noqa: BLE001 - the outermost door: a bug is reported as one, with its trace
            traceback.print_exception(error, file=sys.stderr)
            response = Problem(500, "this is a bug in Pactkeeper; the server's log has the lines to report").response()
        finally:
            route: Any = request.scope.get("route")
            measures.count(getattr(route, "operation_id", None) or "other", status, time.monotonic() - began)
        return response

    app.middleware("http")(timed)


async def _problem(_: Request, error: Exception) -> Response:
    if not isinstance(error, Problem):
        raise error
    return error.response()


async def _unknown(request: Request, error: Exception) -> Response:
    """What the framework itself refuses: a path or method that is not there."""
    if not isinstance(error, HTTPException):
        raise error
    status = error.status_code if error.status_code in TITLES else 400
    headers = dict(error.headers or {})
    if status == METHOD:
        headers["Allow"] = ", ".join(sorted(_methods(request)))
    detail = f"{request.method} {request.url.path} is not in the API; /openapi.json describes all of it"
    return Problem(status, detail, headers).response()


def _methods(request: Request) -> set[str]:
    """Every method that the path of a request takes, of whichever route."""
    found: set[str] = set()
    for route in request.app.router.routes:
        if route.matches(request.scope)[0] is not Match.NONE:
            found |= route.methods
    return found
