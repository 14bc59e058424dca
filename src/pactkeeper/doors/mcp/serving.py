"""Running the server: over standard input and output, or over HTTP for whoever has the token."""

from __future__ import annotations

import os
import secrets
import signal
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import anyio
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings

from pactkeeper.doors.mcp.server import build
from pactkeeper.errors import UsageError
from pactkeeper.verbs.listening import Address, listen

# What ASGI calls a connection and the two ways of talking over it.
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
ASGIApp = Callable[[Scope, Receive, Send], Awaitable[None]]

PATH: Final = "/mcp"
SHORTEST_TOKEN: Final = 16
INTERRUPTED: Final = 130  # the exit code that a shell knows an interrupted program by


@dataclass(frozen=True, slots=True)
class Guarded:
    """An application that only answers who has the token."""

    app: ASGIApp
    token: str

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer 401."""
        if scope["type"] == "http" and not self._allowed(scope):
            headers = [(b"content-type", b"text/plain"), (b"www-authenticate", b"Bearer")]
            await send({"type": "http.response.start", "status": 401, "headers": headers})
            await send({"type": "http.response.body", "body": b"send the header Authorization: Bearer TOKEN\n"})
            return
        await self.app(scope, receive, send)

    def _allowed(self, scope: Scope) -> bool:
        said = next((value for name, value in scope["headers"] if name == b"authorization"), b"")
        return secrets.compare_digest(said, b"Bearer " + self.token.encode())


def serve_stdio(folder: Path) -> None:
    """Serve one client over standard input and output until it closes them; stdout carries the protocol alone.

    An interrupt ends the process at once: the thread that waits for input cannot be woken, and whatever was under way
    is taken up again as after any other death.
    """
    signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))

    async def serve() -> None:
        server = build(folder)
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())

    anyio.run(serve)


def http_app(folder: Path, address: Address, token: str) -> ASGIApp:
    """The application that is served over HTTP: sessions for earlier clients, none for those of 2026-07-28."""
    app = build(folder).streamable_http_app(
        streamable_http_path=PATH, host=address.host, transport_security=_security(address)
    )
    return Guarded(app, token)


def _security(address: Address) -> TransportSecuritySettings:
    """Which Host and Origin are let through: this address under its names, from any page of its own."""
    hosts = sorted(f"{name}:*" for name in address.hosts())
    return TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=[f"http://{one}" for one in hosts])


def serve_http(folder: Path, address: Address, token: str | None) -> None:
    """Serve over HTTP until interrupted; without a token one is made and told on stderr, once."""
    if token is not None and len(token) < SHORTEST_TOKEN:
        raise UsageError(f"the token has {len(token)} characters; give at least {SHORTEST_TOKEN}, or none to get one")
    used = token or secrets.token_urlsafe(24)
    app = http_app(folder, address, used)
    listen(app, address, [f"listening at {{url}}{PATH}", *([] if token else [f"token: {used}"])])
