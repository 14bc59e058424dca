"""Access control: requests must name this server, not come from another site's page, and bring a token or session.

Also here: the sessions of a server for one person, and the few pages for signing in, without script or stylesheet.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, MutableMapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from html import escape
from http.cookies import CookieError, SimpleCookie
from typing import Any, Final, Protocol

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from pactkeeper.doors.web.problems import WebProblem
from pactkeeper.errors import PactkeeperError
from pactkeeper.ledger.policy import OWNER, Principal
from pactkeeper.operators.accounts import form_token
from pactkeeper.verbs.listening import Address, ASGIApp, Receive, Scope, Send

# Open to everybody: these reveal nothing, or are where people sign in.
OPEN: Final = frozenset({"/health", "/session", "/enter", "/sign-in", "/sign-in/provider", "/sign-in/return"})
HOOKS: Final = "/hooks/"  # where forges send signed deliveries
FILES: Final = "/static/"  # stylesheets and scripts of the pages, which reveal nothing either
SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})
# Scripts and styles are files of this server; nothing inline runs.
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS: Final = (
    (b"content-security-policy", POLICY.encode()),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"referrer-policy", b"same-origin"),  # with no-referrer a form would send Origin: null
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
)
FOR_A_YEAR: Final = (b"strict-transport-security", b"max-age=31536000")


@dataclass(frozen=True, slots=True)
class Site:
    """The names that a server answers to; `origin` is its origin in browsers, empty for the host called."""

    hosts: frozenset[str]
    origin: str = ""

    @staticmethod
    def at(address: Address) -> Site:
        """A server reached at the address it listens on."""
        return Site(address.hosts())

    @property
    def secure(self) -> bool:
        """Whether browsers reach it over TLS."""
        return self.origin.startswith("https://")

    def cookie(self, host: str) -> str:
        """The name of the session cookie; servers on other ports of the same host share a browser's cookies."""
        return "__Host-pactkeeper" if self.secure else f"pactkeeper-{host.rpartition(':')[2]}"

    def origin_of(self, host: str) -> str:
        """The origin of this server's pages under that host name."""
        return self.origin or f"http://{host}"


class Entrance(Protocol):
    """Recognises the users of a server."""

    async def by_token(self, token: str) -> Principal | None:
        """The owner of a token, or None."""

    async def by_session(self, secret: str) -> Principal | None:
        """The owner of a session, or None if it is unknown or expired."""

    def lobby(self, path: str) -> Response:
        """The response to a browser without a session."""


def bearer(scope: Scope) -> str:
    """The bearer token of a request; empty if there is none."""
    kind, _, token = header(scope, b"authorization").partition(" ")
    return token.strip() if kind.casefold() == "bearer" else ""


def principal(request: Request) -> Principal:
    """The caller, whom every request past access control has. Raises Problem."""
    found = getattr(request.state, "principal", None)
    if not isinstance(found, Principal):
        raise WebProblem(401, "sign in first")
    return found


def host_of(request: Request) -> str:
    """The host that a request names, with its port."""
    return header(request.scope, b"host")


@dataclass(frozen=True, slots=True)
class Entered:
    """An application behind access control; every response is marked as not to be cached or framed."""

    app: ASGIApp
    site: Site
    entrance: Entrance

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer with a problem."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        send = self._marking(send)
        try:
            await self._enter(scope)
        except WebProblem as problem:
            await self._refusal(scope, problem)(scope, receive, send)
            return
        except PactkeeperError as error:  # the accounts can't be read at the moment
            await WebProblem(503, str(error)).response()(scope, receive, send)
            return
        await self.app(scope, receive, send)

    async def _enter(self, scope: Scope) -> None:
        """Identify the caller; raises Problem."""
        host, origin = header(scope, b"host"), header(scope, b"origin")
        if _name(host) not in self.site.hosts:
            raise WebProblem(403, f"this server is not called {host!r}; use the address it printed")
        if origin and origin != self.site.origin_of(host):
            raise WebProblem(403, f"a page of {origin!r} may not call this server")
        known = await self._known(scope, host)
        if known is not None:
            scope.setdefault("state", {})["principal"] = known
        elif scope["path"] not in OPEN and not scope["path"].startswith((FILES, HOOKS)):
            raise WebProblem(401, "send the header Authorization: Bearer TOKEN", {"WWW-Authenticate": "Bearer"})

    async def _known(self, scope: Scope, host: str) -> Principal | None:
        token = bearer(scope)
        if token:
            return await self.entrance.by_token(token)
        secret = _cookie(scope, self.site.cookie(host))
        found = await self.entrance.by_session(secret) if secret else None
        if found is not None and scope["method"] not in SAFE and not from_our_page(scope):
            raise WebProblem(403, "a session may write from this server's own pages only; programs bring a token")
        return found

    def _refusal(self, scope: Scope, problem: WebProblem) -> Response:
        """The problem; a browser without a session is shown how to sign in."""
        browses = scope["method"] == "GET" and "text/html" in header(scope, b"accept")
        return self.entrance.lobby(scope["path"]) if browses and problem.status == 401 else problem.response()  # noqa: PLR2004 - the status

    def _marking(self, send: Send) -> Send:
        async def marked(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                given = list(message.get("headers", ()))
                kept = any(name.lower() == b"cache-control" for name, _ in given)
                ours = (*HEADERS, *([] if kept else [(b"cache-control", b"no-store")]))
                message["headers"] = [*given, *ours, *([FOR_A_YEAR] if self.site.secure else [])]
            await send(message)

        return marked


def from_our_page(scope: Scope) -> bool:
    """Whether the browser says so: an Origin was checked before, and only our own pages are same-origin."""
    return bool(header(scope, b"origin")) or header(scope, b"sec-fetch-site") == "same-origin"


def _cookie(scope: Scope, name: str) -> str:
    try:
        found = SimpleCookie(header(scope, b"cookie")).get(name)
    except CookieError:
        return ""
    return "" if found is None else found.value


def _name(host: str) -> str:
    """A host without its port."""
    name, colon, port = host.rpartition(":")
    return name if colon and (port.isdigit() or not port) else host


def header(scope: Scope, name: bytes) -> str:
    """A header that occurs once; empty if it is missing or repeated."""
    found = [value for key, value in scope["headers"] if key == name]
    return str(found[0].decode("latin-1")) if len(found) == 1 else ""


def seeing(send: Send, status: list[int]) -> Send:
    """Wrap `send`, storing the response status in the list."""

    async def seen(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            status[0] = message["status"]
        await send(message)

    return seen


LASTS: Final = 12 * 3600.0  # seconds that a session lasts


@dataclass(slots=True)
class Tokens:
    """The tokens of one server, with sessions stored as hashes; `first` opens one session and is then void."""

    now: Callable[[], float]
    first: str | None = None
    lasting: str | None = None
    _sessions: dict[bytes, float] = field(default_factory=dict)

    def open(self, token: str) -> str | None:
        """Exchange the first token for the secret of a new session; None if it is wrong or already used."""
        if self.first is None or not secrets.compare_digest(token.encode(), self.first.encode()):
            return None
        self.first = None
        made = secrets.token_urlsafe(32)
        self._sessions[_hash(made)] = self.now() + LASTS
        return made

    def known(self, token: str) -> bool:
        """Whether a request with this token is accepted."""
        if self.lasting is not None and secrets.compare_digest(token.encode(), self.lasting.encode()):
            return True
        return self._sessions.get(_hash(token), 0.0) > self.now()

    def close(self, secret: str) -> None:
        """End a session."""
        self._sessions.pop(_hash(secret), None)

    async def by_token(self, token: str) -> Principal | None:
        """The person who started the server, for one of their tokens."""
        return replace(OWNER, kind="program") if self.known(token) else None

    async def by_session(self, secret: str) -> Principal | None:
        """The person who started the server, in a browser."""
        if self._sessions.get(_hash(secret), 0.0) <= self.now():
            return None
        return replace(OWNER, session=form_token(secret))

    def lobby(self, path: str) -> Response:  # noqa: ARG002 - there is only one way to sign in
        """A page that says how to sign in."""
        words = (
            "Open the address that pk serve printed at start. It works once; restart pk serve for another."
            if self.lasting is None
            else "This server takes the token in PACTKEEPER_SERVE_TOKEN, which programs send. To open its pages in a "
            "browser, restart pk serve without that variable, and open the address that it prints."
        )
        return HTMLResponse(plain_page("You are not signed in", words), 401)


def _hash(token: str) -> bytes:
    return sha256(token.encode()).digest()


def plain_page(title: str, words: str, *, form: str = "", onward: str = "") -> str:
    """A simple page; `form` is trusted markup, `onward` a path of this server to go on to at once."""
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
    """Set the session cookie and go on.

    A redirect would not do: a browser that followed a link from another site omits a strict cookie until it navigates
    from one of our own pages.
    """
    answer = HTMLResponse(plain_page("You are signed in", "One moment.", onward=onward))
    answer.set_cookie(cookie, secret, max_age=12 * 3600, httponly=True, samesite="strict", secure=secure, path="/")
    return answer


def goodbye(cookie: str, *, secure: bool) -> Response:
    """Delete the session cookie."""
    answer = HTMLResponse(plain_page("You are signed out", "You may close this page."))
    answer.delete_cookie(cookie, httponly=True, samesite="strict", secure=secure, path="/")
    return answer
