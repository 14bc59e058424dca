"""Who is let in: requests that name this server, come from no page of another, and bring a token or a session.

The sessions of a server for one person, and the few pages of the entrance: words, and a form where one is needed,
without script or stylesheet.
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from html import escape
from http.cookies import CookieError, SimpleCookie
from typing import Any, Final, Protocol

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from pactkeeper.doors.web.problems import Problem
from pactkeeper.errors import PactkeeperError
from pactkeeper.ledger.roles import OWNER, Principal
from pactkeeper.operators.accounts import form_token
from pactkeeper.verbs.listening import Address

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
ASGIApp = Callable[[Scope, Receive, Send], Awaitable[None]]

# What anybody may ask: these tell nothing, or are where one signs in.
OPEN: Final = frozenset({"/health", "/session", "/enter", "/sign-in", "/sign-in/provider", "/sign-in/return"})
HOOKS: Final = "/hooks/"  # where forges sign what they send
FILES: Final = "/static/"  # stylesheets and scripts of the pages, which tell nothing either
SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})
# Pages bring their scripts and styles as files of this server; nothing inline runs.
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
    """The names that a server answers to; `origin` is what browsers know its pages by, empty for the host called."""

    hosts: frozenset[str]
    origin: str = ""

    @staticmethod
    def at(address: Address) -> Site:
        """A server that is called where it listens."""
        return Site(address.hosts())

    @property
    def secure(self) -> bool:
        """Whether browsers reach it by TLS."""
        return self.origin.startswith("https://")

    def cookie(self, host: str) -> str:
        """What the session's cookie is called; servers on other ports of one host share a browser's cookies."""
        return "__Host-pactkeeper" if self.secure else f"pactkeeper-{host.rpartition(':')[2]}"

    def origin_of(self, host: str) -> str:
        """The origin of pages that this server gave out under that name."""
        return self.origin or f"http://{host}"


class Entrance(Protocol):
    """Whom a server knows."""

    async def by_token(self, token: str) -> Principal | None:
        """Whose token this is, None where it is nobody's."""

    async def by_session(self, secret: str) -> Principal | None:
        """Whose session this is, None where it is nobody's, or over."""

    def lobby(self, path: str) -> Response:
        """What a browser is shown that came without a session."""


def bearer(scope: Scope) -> str:
    """The token that a request brings; empty where it brings none."""
    kind, _, token = header(scope, b"authorization").partition(" ")
    return token.strip() if kind.casefold() == "bearer" else ""


def principal(request: Request) -> Principal:
    """Who asks; every request behind the entrance has somebody. Raises Problem."""
    found = getattr(request.state, "principal", None)
    if not isinstance(found, Principal):
        raise Problem(401, "sign in first")
    return found


def host_of(request: Request) -> str:
    """The host that a request names, with its port."""
    return header(request.scope, b"host")


@dataclass(frozen=True, slots=True)
class Entered:
    """An application behind the checks; everything it answers is marked as nobody else's to keep or to frame."""

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
        except Problem as problem:
            await self._refusal(scope, problem)(scope, receive, send)
            return
        except PactkeeperError as error:  # the accounts cannot be read now
            await Problem(503, str(error)).response()(scope, receive, send)
            return
        await self.app(scope, receive, send)

    async def _enter(self, scope: Scope) -> None:
        """Find out who asks; raises Problem."""
        host, origin = header(scope, b"host"), header(scope, b"origin")
        if _name(host) not in self.site.hosts:
            raise Problem(403, f"this server is not called {host!r}; call it by the address that it told")
        if origin and origin != self.site.origin_of(host):
            raise Problem(403, f"a page of {origin!r} may not call this server")
        known = await self._known(scope, host)
        if known is not None:
            scope.setdefault("state", {})["principal"] = known
        elif not _open(scope["path"]):
            raise Problem(401, "send the header Authorization: Bearer TOKEN", {"WWW-Authenticate": "Bearer"})

    async def _known(self, scope: Scope, host: str) -> Principal | None:
        token = bearer(scope)
        if token:
            return await self.entrance.by_token(token)
        secret = _cookie(scope, self.site.cookie(host))
        found = await self.entrance.by_session(secret) if secret else None
        if found is not None and scope["method"] not in SAFE and not _from_our_page(scope):
            raise Problem(403, "a session may write from this server's own pages only; programs bring a token")
        return found

    def _refusal(self, scope: Scope, problem: Problem) -> Response:
        """The problem; a browser without a session is shown the way in."""
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


def _open(path: str) -> bool:
    return path in OPEN or path.startswith((FILES, HOOKS))


def _from_our_page(scope: Scope) -> bool:
    """Whether the browser says so: an Origin was compared before, and only a page of ours is of the same origin."""
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
    """A header that is sent once; empty where it is not sent, or more than once."""
    found = [value for key, value in scope["headers"] if key == name]
    return str(found[0].decode("latin-1")) if len(found) == 1 else ""


def seeing(send: Send, status: list[int]) -> Send:
    """Send, with the status that is sent in the list."""

    async def seen(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            status[0] = message["status"]
        await send(message)

    return seen


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
