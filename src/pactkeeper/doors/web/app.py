"""The web application: a path for every route of the table, and a few about the server itself."""

from __future__ import annotations

import sys
import time
import traceback
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Match

from pactkeeper import __version__
from pactkeeper.doors.web import entering
from pactkeeper.doors.web.answering import Answering, Repeats, endpoint
from pactkeeper.doors.web.describing import described, responses, routes
from pactkeeper.doors.web.entering import Entered, Site, Tokens
from pactkeeper.doors.web.page.routing import pages, static_files
from pactkeeper.doors.web.problems import TITLES, WebProblem
from pactkeeper.verbs.calling import House
from pactkeeper.verbs.listening import Address, ASGIApp, Receive, Scope, Send

ABOUT = (
    "The pact of one repository and what its tests say. Lists come in pages with their total: repeat a request with "
    "the `cursor` of a page for the next. What is written is shown first (202) and done when the same request brings "
    "the key in the header `Consent`; nothing here commits atoms. Errors are problem documents (RFC 9457)."
)


METHOD = 405


def application(folder: Path, address: Address, tokens: Tokens) -> Entered:
    """The application for the repository that contains `folder`, open to holders of the token."""
    site, measures = Site.at(address), Measures()
    app = repository_app(House(folder), measures)
    about_the_server(app, measures)
    _sessions(app, site, tokens)
    return Entered(app, site, tokens)


def repository_app(house: House, measures: Measures) -> FastAPI:
    """The application with the paths of one repository."""
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
        )
    app.openapi = partial(_openapi, app)  # type: ignore[method-assign]  # as FastAPI's documentation has it
    app.include_router(pages(house))
    app.mount("/static", static_files())
    return app


def _openapi(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI description, built on request."""
    known = {one.operation: one for one in routes()}
    for one in app.router.routes:
        if isinstance(one, APIRoute) and one.operation_id in known:
            one.responses = responses(known[one.operation_id])
            one.openapi_extra = described(known[one.operation_id])
    return FastAPI.openapi(app)


def bare_app(measures: Measures) -> FastAPI:
    """An application that counts its responses, and returns errors as problem documents."""
    app = FastAPI(title="Pactkeeper", version=__version__, description=ABOUT, docs_url=None, redoc_url=None)
    app.add_middleware(Measured, measures)
    app.add_exception_handler(WebProblem, _problem)
    app.add_exception_handler(HTTPException, _unknown)
    return app


def about_the_server(app: FastAPI, measures: Measures) -> None:
    """Add the health check and the metrics."""

    async def health() -> dict[str, str]:
        return {"status": "ok", "version": __version__}

    async def metrics() -> Response:
        return PlainTextResponse(measures.text(), media_type="text/plain; version=0.0.4; charset=utf-8")

    app.add_api_route("/health", health, summary="Whether the server answers.")
    app.add_api_route("/metrics", metrics, include_in_schema=False)


def _sessions(app: FastAPI, site: Site, tokens: Tokens) -> None:
    """Add signing in and out: a browser uses a cookie, a program a token."""

    async def session(request: Request) -> Response:
        made = tokens.open(entering.bearer(request.scope))
        if made is None:
            raise WebProblem(401, "send the one-time token that the server printed; it opens one session")
        return JSONResponse({"token": made}, 201)

    async def enter(request: Request) -> Response:
        made = tokens.open(request.query_params.get("token", ""))
        if made is None:
            return tokens.lobby(request.url.path)
        return entering.welcome(site.cookie(entering.host_of(request)), made, secure=site.secure)

    async def leave(request: Request) -> Response:
        cookie = site.cookie(entering.host_of(request))
        tokens.close(request.cookies.get(cookie, ""))
        return entering.goodbye(cookie, secure=site.secure)

    app.add_api_route("/session", session, methods=["POST"], include_in_schema=False)
    app.add_api_route("/enter", enter, include_in_schema=False)
    app.add_api_route("/sign-out", leave, methods=["POST"], include_in_schema=False)


@dataclass(frozen=True, slots=True)
class Measured:
    """The application with its requests counted; a bug becomes a problem document, its traceback goes to stderr."""

    app: ASGIApp
    measures: Measures

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, and count it under the route it matched."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began, status = time.monotonic(), [0]
        try:
            await self.app(scope, receive, entering.seeing(send, status))
        except ClientDisconnect:  # nobody is left to be answered
            status[0] = 400
        except Exception as error:  # a bug: reported on the server, told without its text, and the server goes on
            traceback.print_exception(error, file=sys.stderr)
            if status[0]:  # too late for another answer; the server breaks the connection
                raise
            problem = WebProblem(500, "this is a bug in Pactkeeper; the server's log has the lines to report")
            await problem.response()(scope, receive, entering.seeing(send, status))
        finally:
            operation = getattr(scope.get("route"), "operation_id", None) or "other"
            self.measures.count(operation, status[0] or 500, time.monotonic() - began)


async def _problem(_: Request, error: Exception) -> Response:
    if not isinstance(error, WebProblem):
        raise error
    return error.response()


async def _unknown(request: Request, error: Exception) -> Response:
    """Errors of the framework itself: a path or method that does not exist."""
    if not isinstance(error, HTTPException):
        raise error
    status = error.status_code if error.status_code in TITLES else 400
    headers = dict(error.headers or {})
    if status == METHOD:
        headers["Allow"] = ", ".join(sorted(_methods(request)))
    detail = f"{request.method} {request.url.path} is not in the API; see /openapi.json"
    return WebProblem(status, detail, headers).response()


def _methods(request: Request) -> set[str]:
    """Every method that a request's path accepts, on any route."""
    found: set[str] = set()
    for route in request.app.router.routes:
        if route.matches(request.scope)[0] is not Match.NONE:
            found |= route.methods
    return found


class Measures:
    """Requests by operation and status, and their durations."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "pactkeeper_requests", "Requests answered.", ["operation", "status"], registry=self._registry
        )
        self._seconds = Histogram(
            "pactkeeper_request_seconds", "How long requests took.", ["operation"], registry=self._registry
        )

    def count(self, operation: str, status: int, seconds: float) -> None:
        """Count one request."""
        self._requests.labels(operation, str(status)).inc()
        self._seconds.labels(operation).observe(seconds)

    def text(self) -> bytes:
        """Everything counted so far, in Prometheus' text format."""
        return generate_latest(self._registry)
