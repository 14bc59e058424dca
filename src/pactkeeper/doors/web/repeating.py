"""Idempotency keys: the answer to a key is stored, and returned instead of repeating the request."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from starlette.responses import Response

from pactkeeper.doors.web.problems import Problem

LASTS: Final = 24 * 3600.0  # seconds
MOST: Final = 1000  # keys at a time; the oldest is dropped first
LONGEST: Final = 200  # characters of a key


@dataclass(slots=True)
class _Kept:
    """The request that a key stands for, its expiry, and the answer once there is one."""

    asked: str
    until: float
    answer: Response | None = None


@dataclass(slots=True)
class Repeats:
    """The idempotency keys of one server, separate per account; `now` counts seconds."""

    now: Callable[[], float]
    _kept: dict[tuple[str, str], _Kept] = field(default_factory=dict)

    def begin(self, account: str, key: str, asked: str) -> Response | None:
        """The earlier answer to this key, or None if the request is new. Raises Problem.

        A key stands for one request: a different request with it is refused, and so is the same one while it is in
        progress.
        """
        if len(key) > LONGEST:
            raise Problem(400, f"an Idempotency-Key has at most {LONGEST} characters")
        known = self._kept.get((account, key))
        if known is None or known.until < self.now():
            self._keep((account, key), asked)
            return None
        if known.asked != asked:
            raise Problem(422, f"the Idempotency-Key {key!r} was used for another request; take a new one")
        if known.answer is None:
            raise Problem(409, f"the request with the Idempotency-Key {key!r} is under way; ask again later")
        return known.answer

    def finish(self, account: str, key: str, answer: Response | None) -> None:
        """Store the answer to a key; without one nothing was done, and the key may be used again."""
        if answer is None:
            self._kept.pop((account, key), None)
        elif (account, key) in self._kept:
            self._kept[account, key].answer = answer

    def _keep(self, key: tuple[str, str], asked: str) -> None:
        self._kept.pop(key, None)
        while len(self._kept) >= MOST:
            del self._kept[next(iter(self._kept))]
        self._kept[key] = _Kept(asked, self.now() + LASTS)
