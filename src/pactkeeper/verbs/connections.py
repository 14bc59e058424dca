"""Idle connections keep nobody out: incomplete requests time out, and beyond the limit the oldest one is dropped."""

from __future__ import annotations

import asyncio
import resource
from typing import Any, Final

from uvicorn.protocols.http.auto import AutoHTTPProtocol

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
