"""One HTTP exchange within a deadline: a server that trickles bytes is cut off, in the headers as in the body.

The library's own timeouts apply to each read, so trickling headers could block a caller for days.
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
    """The connection of one client, which makes one exchange at a time; pass `noted` as its requests' `trace`."""

    _socket: socket.socket | None = field(default=None, repr=False)
    _over: threading.Event = field(default_factory=threading.Event, repr=False)

    def noted(self, event: str, told: Mapping[str, Any]) -> None:
        """Remember the socket that requests use."""
        if event.endswith(("connect_tcp.complete", "start_tls.complete")):
            self._socket = told["return_value"].get_extra_info("socket")
            if self._over.is_set():  # the DNS lookup took all of the time
                self._cut(self._over)

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Cut the connection at the deadline and raise httpx2.ReadTimeout, whatever was read."""
        import httpx2  # noqa: PLC0415 - most commands make no calls

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
        if over.is_set():  # a body that ends when its connection closes has ended without an error
            raise httpx2.ReadTimeout(f"no whole answer within {seconds:g} seconds")

    def _cut(self, over: threading.Event) -> None:
        over.set()
        if self._socket is not None:
            with suppress(OSError):  # closed in the meantime
                self._socket.shutdown(socket.SHUT_RDWR)
