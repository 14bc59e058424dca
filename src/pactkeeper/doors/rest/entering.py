"""Who is let in: requests that name this server, come from no page of another, and bring a token."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final

from pactkeeper.doors.rest.problems import Problem
from pactkeeper.verbs.listening import Address

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
ASGIApp = Callable[[Scope, Receive, Send], Awaitable[None]]

OPEN: Final = frozenset({"/health", "/session"})  # the one tells nothing, the other takes the one-time token
LASTS: Final = 12 * 3600.0  # seconds of a session
HEADERS: Final = (
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
)


@dataclass(slots=True)
class Tokens:
    """The tokens of one server, sessions as hashes; `first` opens one session and is worth nothing then."""

    now: Callable[[], float]
    first: str | None = None
    lasting: str | None = None
    _sessions: dict[bytes, float] = field(default_factory=dict)

    def open(self, token: str) -> str | None:
        """A token for a session in exchange for the first one; None where it is not that, or was used."""
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


def _hash(token: str) -> bytes:
    return sha256(token.encode()).digest()


def bearer(scope: Scope) -> str:
    """The token that a request brings; empty where it brings none."""
    kind, _, token = _header(scope, b"authorization").partition(" ")
    return token.strip() if kind.casefold() == "bearer" else ""


@dataclass(frozen=True, slots=True)
class Entered:
    """An application behind the checks; everything it answers is marked as nobody else's to keep or to frame."""

    app: ASGIApp
    address: Address
    tokens: Tokens

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer with a problem."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def marked(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *HEADERS]
            await send(message)

        refusal = self._refusal(scope)
        if refusal is None:
            await self.app(scope, receive, marked)
        else:
            await refusal.response()(scope, receive, marked)

    def _refusal(self, scope: Scope) -> Problem | None:
        host, origin = _header(scope, b"host"), _header(scope, b"origin")
        if _name(host) not in self.address.hosts():
            return Problem(403, f"this server is not called {host!r}; call it by the address that it told")
        if origin and origin != f"http://{host}":
            return Problem(403, f"a page of {origin!r} may not call this server")
        if scope["path"] in OPEN or self.tokens.known(bearer(scope)):
            return None
        return Problem(401, "send the header Authorization: Bearer TOKEN", {"WWW-Authenticate": "Bearer"})


def _name(host: str) -> str:
    """A host without its port."""
    name, colon, port = host.rpartition(":")
    return name if colon and (port.isdigit() or not port) else host


def _header(scope: Scope, name: bytes) -> str:
    found = [value for key, value in scope["headers"] if key == name]
    return found[0].decode("latin-1") if len(found) == 1 else ""
