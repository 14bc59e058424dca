"""Listen for HTTP at an address, for every door that serves it."""

from __future__ import annotations

import asyncio
import gc
import resource
import sys
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from socket import AF_INET, AF_INET6, create_server, socket
from typing import Any, Final

import anyio
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from pactkeeper.errors import UsageError
from pactkeeper.verbs.calling import to_stderr

# Seconds one thread may run while others wait. A request waits for the database some twenty times, and with the
# default of 5 ms each of these waits could end up to 5 ms late while another request is being handled.
SWITCH: Final = 0.0005
SHORTEST_TOKEN: Final = 16

# ASGI's types for a connection, its two directions, and an application.
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
ASGIApp = Callable[[Scope, Receive, Send], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Address:
    """An address to listen at; port 0 picks a free one."""

    host: str
    port: int

    @staticmethod
    def of(text: str, *, everywhere: bool = False) -> Address:
        """Parse `HOST:PORT`, or a port alone for loopback; raises UsageError.

        A wildcard host such as 0.0.0.0 is rejected unless `everywhere`, because the server then has to learn its name
        by other means.
        """
        host, _, port = text.rpartition(":")
        host = host.strip("[]") or "127.0.0.1"
        if not port.isascii() or not port.isdigit() or int(port) > 65535:  # noqa: PLR2004 - the highest port
            raise UsageError(f"{text!r} is not an address to listen on; give HOST:PORT, such as 127.0.0.1:8765")
        if _is_every(host) and not everywhere:
            raise UsageError(f"{host!r} listens everywhere; name the one address that clients call")
        return Address(host, int(port))

    @property
    def shown(self) -> str:
        """The host as written in a URL."""
        return f"[{self.host}]" if ":" in self.host else self.host

    def hosts(self) -> frozenset[str]:
        """The Host headers to accept, without the port; on loopback all names of this machine."""
        return frozenset({self.shown, "localhost", "127.0.0.1", "[::1]"} if self.loopback else {self.shown})

    @property
    def loopback(self) -> bool:
        """Whether only this machine can connect."""
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"


def _is_every(host: str) -> bool:
    try:
        return ip_address(host).is_unspecified
    except ValueError:
        return False


def refuse_short(token: str | None) -> None:
    """Raise UsageError for a token that could be guessed."""
    if token is not None and len(token) < SHORTEST_TOKEN:
        raise UsageError(
            f"the token has {len(token)} characters; give at least {SHORTEST_TOKEN}, or leave it out to get one"
        )


def listen(app: ASGIApp, address: Address, lines: Sequence[str], *, behind: str = "") -> None:
    """Serve an application until interrupted; once it listens, print the lines to stderr with `{url}` filled in.

    `behind` is the address of a proxy trusted to report the client. Raises UsageError if the address cannot be bound.
    """
    import uvicorn  # noqa: PLC0415 - not every transport listens

    config = uvicorn.Config(
        app,
        http=Impatient,
        log_level="warning",
        access_log=False,
        proxy_headers=bool(behind),
        forwarded_allow_ips=behind or None,
        backlog=most_connections() // 4,  # asyncio accepts this many at once before it reports the first
    )
    sys.setswitchinterval(SWITCH)
    gc.collect()
    gc.freeze()  # exclude everything loaded so far from collection, which would stall requests for 0.3 s
    with _bound(address) as bound:
        url = f"http://{address.shown}:{bound.getsockname()[1]}"
        anyio.run(_listen, uvicorn.Server(config), bound, [line.replace("{url}", url) for line in lines])


def _bound(address: Address) -> socket:
    family = AF_INET6 if ":" in address.host else AF_INET
    try:
        return create_server((address.host, address.port), family=family)
    except OSError as error:
        why = f"{address.shown}:{address.port} cannot be used for listening: {error.strerror or error}"
        raise UsageError(f"{why}; name another port, or 0 for any that is free") from None


async def _listen(server: Any, bound: socket, lines: Sequence[str]) -> None:  # noqa: ANN401 - uvicorn's, loaded late
    async with anyio.create_task_group() as around:
        around.start_soon(_tell, server, lines)
        await server.serve(sockets=[bound])
        around.cancel_scope.cancel()


async def _tell(server: Any, lines: Sequence[str]) -> None:  # noqa: ANN401 - likewise
    while not server.started:  # noqa: ASYNC110 - uvicorn offers no event for it
        await anyio.sleep(0.05)
    for line in lines:
        to_stderr(line)


WHOLE: Final = 20.0  # seconds within which the head of a request has to arrive
MOST: Final = 512


def most_connections() -> int:
    """The connection limit, which leaves half of this process's file descriptors for everything else."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST if files == resource.RLIM_INFINITY else max(8, min(MOST, files // 2))


class Impatient(AutoHTTPProtocol):  # type: ignore[misc,valid-type]  # one of two classes, by what is installed
    """A connection that is closed when no request is in progress and none has begun for a while."""

    def __init__(self, *given: Any, **named: Any) -> None:  # noqa: ANN401 - uvicorn's own
        super().__init__(*given, **named)
        self.since: float = self.loop.time()
        self._seen: object = None
        self._look: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Accept a connection; if there are too many, drop the oldest, idle ones first."""
        super().connection_made(transport)
        live = [one for one in self.connections if not one.transport.is_closing()]
        if len(live) > most_connections():
            min(live, key=lambda one: (one.under_way, one.since)).transport.abort()
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the idle timer."""
        if self._look is not None:
            self._look.cancel()
        super().connection_lost(exc)

    @property
    def under_way(self) -> bool:
        """Whether a request is in progress."""
        return self.cycle is not None and not self.cycle.response_complete

    def _wait(self) -> None:
        self._look = self.loop.call_later(WHOLE, self._give_up)

    def _give_up(self) -> None:
        if not self.under_way and self._seen is self.cycle:
            self.transport.abort()
            return
        self._seen = self.cycle
        self._wait()
