"""Values of settings that have no counterpart among Python's own types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

SPREAD: Final = "..."  # the key under which an object remembers that something unknown was spread into it


class Sometimes(str):
    """A text that stands in a list only under a condition which is not known here."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Unknown:
    """Something that only running the settings would tell; `line` counts from 1."""

    source: str
    line: int


@dataclass(frozen=True, slots=True)
class Pattern:
    """A regular expression literal."""

    source: str
