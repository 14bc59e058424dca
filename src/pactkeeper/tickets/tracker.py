"""The board that a thread's ticket is on: every write is looked at first, and made in turn with other processes."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from pactkeeper.boards.port import Board, Preflight, PreflightState, Reservations
from pactkeeper.boards.writing import preflight, write
from pactkeeper.errors import BusyError, RefusedError, StaleError
from pactkeeper.intent.board import Change, Written

_TRIES: Final = 100
_PAUSE: Final = 0.1


@dataclass(frozen=True, slots=True)
class Tracker:
    """A board with its reservations; `at` gives now in ISO 8601."""

    board: Board
    reservations: Reservations
    at: Callable[[], str]

    def held(self, key: str) -> Change | None:
        """The change that was reserved under a key, whether or not it was made."""
        found = self.reservations.held(key)
        return None if found is None else found.change

    def can(self, verb: str) -> bool:
        """Whether the board can make a change of this wire name at all."""
        return verb in self.board.capabilities.writes


def make(
    tracker: Tracker,
    change: Change,
    key: str,
    *,
    before: Callable[[], None] = lambda: None,
) -> tuple[PreflightState, Written]:
    """Look what would come of a change, call `before` where something is left to write, and make it.

    What `before` raises keeps the change from being made. Raises RefusedError where it is impossible, StaleError where
    it conflicts and nothing of it can be made, and as a board's writing does.
    """
    seen = preflight(tracker.board, change, key, at=tracker.at())
    _refuse(seen)
    if not seen.done:
        before()
    return seen.state, _in_turn(
        lambda: write(tracker.board, change, key, reservations=tracker.reservations, at=tracker.at())
    )


def make_late(tracker: Tracker, change: Change, key: str) -> Written | None:
    """Confirm a change of which it was not known whether it was made; None where the board does not show it."""
    if not preflight(tracker.board, change, key, at=_since(tracker, key)).done:
        return None
    return _in_turn(lambda: write(tracker.board, change, key, reservations=tracker.reservations, at=tracker.at()))


def _since(tracker: Tracker, key: str) -> str:
    held = tracker.reservations.held(key)
    return tracker.at() if held is None else held.at


def _refuse(seen: Preflight) -> None:
    if seen.state == "impossible":
        raise RefusedError(seen.reason)
    if seen.state == "conflict" and not seen.partly:
        raise StaleError(seen.reason)


def _in_turn(work: Callable[[], Written]) -> Written:
    """Do what one process at a time may do, waiting for others; raises BusyError where they take too long."""
    for _ in range(_TRIES):
        try:
            return work()
        except BusyError:
            time.sleep(_PAUSE)
    return work()
