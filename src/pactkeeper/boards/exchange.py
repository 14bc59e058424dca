"""One HTTP exchange within a time: a server that sends a byte now and then is cut off, in its head as in its body.

The library's own timeouts count for each read alone, so a trickle of headers could hold a caller for days.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Exchanges:
    """The connection of one client, which makes one exchange at a time; `noted` is the `trace` of its requests."""

    _socket: socket.socket | None = field(default=None, repr=False)
    _over: threading.Event = field(default_factory=threading.Event, repr=False)

    def noted(self, event: str, told: Mapping[str, Any]) -> None:
        """Remember the connection that requests go over; one that comes when the time is over is cut at once."""
        if event.endswith(("connect_tcp.complete", "start_tls.complete")):
            self._socket = told["return_value"].get_extra_info("socket")
            if self._over.is_set():
                self._cut(self._over)

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Cut the connection when the time is over; raises httpx2.ReadTimeout then, whatever was read."""
        import httpx2  # noqa: PLC0415 - most commands call nothing

        self._over = over = threading.Event()
        timer = threading.Timer(seconds, self._cut, [over])
        timer.daemon = True
        timer.start()
        try:
            yield
        except httpx2.HTTPError as error:
            if over.is_set():
                raise httpx2.ReadTimeout(f"no whole answer within {seconds:g} seconds") from error
            raise
        finally:
            timer.cancel()
        if over.is_set():  # a body that is to end with its connection has ended without an error
            raise httpx2.ReadTimeout(f"no whole answer within {seconds:g} seconds")

    def _cut(self, over: threading.Event) -> None:
        over.set()
        if self._socket is not None:
            with suppress(OSError):  # closed meanwhile
                self._socket.shutdown(socket.SHUT_RDWR)
