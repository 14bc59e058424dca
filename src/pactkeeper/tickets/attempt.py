"""How one of several things is tried, so that whatever goes wrong with it keeps no other from being done."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

Result = TypeVar("Result")


class Attempt(Protocol):
    """Does one thing; a door hands in one that raises PactkeeperError for a fault of ours and tells of it later."""

    def __call__(self, work: Callable[[], Result], /) -> Result:
        """Do the work and give what it gives."""


def plainly(work: Callable[[], Result], /) -> Result:
    """Do the work; a fault of ours ends all of it."""
    return work()
