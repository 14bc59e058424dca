"""The application: a path for every route of the table, and the few that are about the server itself.

The few pages of the entrance itself: words, and a form where one is needed, without script or stylesheet.
"""

from __future__ import annotations

import secrets
import sys
import time
import traceback
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Any, Final

import anyio
from fastapi import FastAPI
from fastapi.responses import JSONResponse
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Match

from pactkeeper import __version__
from pactkeeper.doors.web.answering import Answering, endpoint
from pactkeeper.doors.web.describing import described, responses
from pactkeeper.doors.web.entering import Entered, Site, bearer, host_of
from pactkeeper.doors.web.page.routing import pages, static_files
from pactkeeper.doors.web.problems import TITLES, Problem
from pactkeeper.doors.web.repeating import Repeats
from pactkeeper.doors.web.routes import routes
from pactkeeper.ledger.roles import OWNER, Principal
from pactkeeper.operators.accounts import form_token
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
        except ClientDisconnect:  # nobody is there to be answered
            response = Problem(400, "the body ended before it was whole").response()
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


LASTS: Final = 12 * 3600.0  # seconds of a session


@dataclass(slots=True)
class Tokens:
    """The tokens of one server, sessions as hashes; `first` opens one session and is worth nothing then."""

    now: Callable[[], float]
    first: str | None = None
    lasting: str | None = None
    _sessions: dict[bytes, float] = field(default_factory=dict)

    def open(self, token: str) -> str | None:
        """The secret of a new session in exchange for the first token; None where it is not that, or was used."""
        if self.first is None or not secrets.compare_digest(token.encode(), self.first.encode()):
            return None
        self.first = None
        made = secrets.token_urlsafe(32)
        self._sessions[_hash(made)] = self.now() + LASTS
        return made

    def known(self, token: str) -> bool:
        """Whether a request with this token is let in."""
        if self.lasting is not None and secrets.compare_digest(token.encode(), self.lasting.encode()):
            return True
        return self._sessions.get(_hash(token), 0.0) > self.now()

    def close(self, secret: str) -> None:
        """End a session."""
        self._sessions.pop(_hash(secret), None)

    async def by_token(self, token: str) -> Principal | None:
        """Who started the server, for a token of theirs."""
        return replace(OWNER, kind="program") if self.known(token) else None

    async def by_session(self, secret: str) -> Principal | None:
        """Who started the server, at a browser."""
        if self._sessions.get(_hash(secret), 0.0) <= self.now():
            return None
        return replace(OWNER, session=form_token(secret))

    def lobby(self, path: str) -> Response:  # noqa: ARG002 - every way in is the same one
        """How to get in."""
        words = "Open the address that pk serve printed when it began. It works once; start pk serve again for another."
        return HTMLResponse(plain_page("You are not signed in", words), 401)


def _hash(token: str) -> bytes:
    return sha256(token.encode()).digest()


class Measures:
    """Requests by operation and status, and how long they took."""

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


def plain_page(title: str, words: str, *, form: str = "", onward: str = "") -> str:
    """A page of words; `form` is markup of ours, `onward` a path of this server to go on to at once."""
    refresh = f'<meta http-equiv="refresh" content="0; url={escape(onward)}">' if onward else ""
    link = f'<p><a href="{escape(onward)}">Continue</a></p>' if onward else ""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark"><link rel="icon" href="/static/mark.svg">'
        f"{refresh}<title>{escape(title)} · Pactkeeper</title></head>"
        f"<body><main><h1>{escape(title)}</h1><p>{escape(words)}</p>{form}{link}</main></body></html>"
    )


def welcome(cookie: str, secret: str, *, secure: bool, onward: str = "/") -> Response:
    """Hand over a session and go on.

    A redirect would not do: a browser that came by a link of another site leaves a strict cookie out until it moves on
    from a page of ours.
    """
    answer = HTMLResponse(plain_page("You are signed in", "One moment.", onward=onward))
    answer.set_cookie(cookie, secret, max_age=12 * 3600, httponly=True, samesite="strict", secure=secure, path="/")
    return answer


def goodbye(cookie: str, *, secure: bool) -> Response:
    """Take the session back from the browser."""
    answer = HTMLResponse(plain_page("You are signed out", "You may close this page."))
    answer.delete_cookie(cookie, httponly=True, samesite="strict", secure=secure, path="/")
    return answer
