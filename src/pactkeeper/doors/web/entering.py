"""Who is let in: requests that name this server, come from no page of another, and bring a token or a session."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import Any, Final, Protocol

from starlette.requests import Request
from starlette.responses import Response

from pactkeeper.doors.web.problems import Problem
from pactkeeper.errors import PactkeeperError
from pactkeeper.ledger.roles import Principal
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
