"""How much somebody may ask, and how often: a bucket of requests for each name, which fills up again with time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from starlette.requests import Request

from pactkeeper.doors.web.problems import Problem

MOST: Final = 10_000  # names at a time; the one that was quiet longest goes first


@dataclass(slots=True)
class Limit:
    """So many requests at once, and one more every `every` seconds; `now` counts seconds. One process counts alone."""

    most: int
    every: float
    now: Callable[[], float]
    _left: dict[str, tuple[float, float]] = field(default_factory=dict)

    def take(self, name: str) -> None:
        """Count a request; raises Problem where there were too many."""
        left, at = self._left.pop(name, (float(self.most), self.now()))
        left = min(float(self.most), left + (self.now() - at) / self.every)
        while len(self._left) >= MOST:
            del self._left[next(iter(self._left))]
        self._left[name] = (max(left - 1, 0.0) if left >= 1 else left, self.now())
        if left < 1:
            wait = int((1 - left) * self.every) + 1
            raise Problem(429, f"too many requests; try again in {wait} seconds", {"Retry-After": str(wait)})


async def whole_body(request: Request, most: int, what: str) -> bytes:
    """The body of a request, read no further than `most` bytes; raises Problem for a longer one."""
    held = bytearray()
    async for part in request.stream():
        held += part
        if len(held) > most:
            raise Problem(413, f"{what} has at most {most:,} bytes; send less at a time")
    return bytes(held)
