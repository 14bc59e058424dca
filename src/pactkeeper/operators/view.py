"""Which state of the repository a verb looks at."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class View:
    """Which state to look at: the working tree, the index where `staged`, or the commit `at`; `paths` narrow output."""

    at: str | None = None
    staged: bool = False
    paths: tuple[str, ...] = ()
