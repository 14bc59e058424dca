"""Faults of ours in one of several things: the others are done first, then they are told as the bugs that they are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from pactkeeper.errors import PactkeeperError

Result = TypeVar("Result")


@dataclass(slots=True)
class Faults:
    """What went wrong without being foreseen while several things were done."""

    met: list[Exception] = field(default_factory=list)

    def attempt(self, work: Callable[[], Result], /) -> Result:
        """Do one thing; a fault is kept, and reads like an error meanwhile."""
        try:
            return work()
        except PactkeeperError:
            raise
        except Exception as fault:  # a door: it keeps no other thread waiting, and is raised in the end
            self.met.append(fault)
            raise PactkeeperError(f"it met a bug in Pactkeeper ({type(fault).__name__}: {fault})") from fault

    def end(self) -> None:
        """Raise what was met, if anything was, so that it is reported with its traces."""
        if self.met:
            raise ExceptionGroup("what was done met bugs", self.met)
