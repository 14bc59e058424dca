"""Running the server: over standard input and output, or over HTTP for whoever has the token."""

from __future__ import annotations

import os
import secrets
import signal
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final

import anyio
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings

from pactkeeper.doors.mcp.server import build
from pactkeeper.errors import UsageError
from pactkeeper.verbs.calling import to_stderr

# What ASGI calls a connection and the two ways of talking over it.
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
ASGIApp = Callable[[Scope, Receive, Send], Awaitable[None]]

PATH: Final = "/mcp"
SHORTEST_TOKEN: Final = 16
INTERRUPTED: Final = 130  # the exit code that a shell knows an interrupted program by


@dataclass(frozen=True, slots=True)
class Address:
    """Where to listen; port 0 takes any that is free."""

    host: str
    port: int

    @staticmethod
    def of(text: str) -> Address:
        """Read `HOST:PORT` or a port alone, which means loopback; raises UsageError."""
        host, _, port = text.rpartition(":")
        host = host.strip("[]") or "127.0.0.1"
        if not port.isascii() or not port.isdigit() or int(port) > 65535:  # noqa: PLR2004 - the highest port
            raise UsageError(f"{text!r} is no address to listen at; give HOST:PORT, such as 127.0.0.1:8765")
        if _is_every(host):
            raise UsageError(f"{host!r} listens everywhere; name the one address that clients call")
        return Address(host, int(port))

    @property
    def shown(self) -> str:
        """The host as it stands in a URL."""
        return f"[{self.host}]" if ":" in self.host else self.host

    def security(self) -> TransportSecuritySettings:
        """Which Host and Origin are let through: this address under its names, from any page of its own."""
        names = {self.shown, "localhost", "127.0.0.1", "[::1]"} if self.loopback else {self.shown}
        hosts = sorted(f"{name}:*" for name in names)
        return TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=[f"http://{one}" for one in hosts])

    @property
    def loopback(self) -> bool:
        """Whether only this machine can call."""
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"


def _is_every(host: str) -> bool:
    try:
        return ip_address(host).is_unspecified
    except ValueError:
        return False


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
        streamable_http_path=PATH, host=address.host, transport_security=address.security()
    )
    return Guarded(app, token)


def serve_http(folder: Path, address: Address, token: str | None) -> None:
    """Serve over HTTP until interrupted; without a token one is made and told on stderr, once."""
    import uvicorn  # noqa: PLC0415 - standard input and output do without

    if token is not None and len(token) < SHORTEST_TOKEN:
        raise UsageError(f"the token has {len(token)} characters; give at least {SHORTEST_TOKEN}, or none to get one")
    used = token or secrets.token_urlsafe(24)
    config = uvicorn.Config(
        http_app(folder, address, used), address.host, address.port, log_level="warning", access_log=False
    )
    anyio.run(_listen, uvicorn.Server(config), address, None if token else used)


async def _listen(server: Any, address: Address, told: str | None) -> None:  # noqa: ANN401 - uvicorn's server, loaded late
    async with anyio.create_task_group() as around:
        around.start_soon(_tell, server, address, told)
        await server.serve()
        around.cancel_scope.cancel()


async def _tell(server: Any, address: Address, told: str | None) -> None:  # noqa: ANN401 - likewise
    while not server.started:  # noqa: ASYNC110 - uvicorn has no event for it
        await anyio.sleep(0.05)
    port = server.servers[0].sockets[0].getsockname()[1]
    to_stderr(f"listening at http://{address.shown}:{port}{PATH}")
    if told is not None:
        to_stderr(f"token: {told}")
