"""Which names a project's settings treat as tests: pytest's prefixes and globs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import translate
from functools import cache
from typing import Final

ALWAYS: Final = ("test", "runTest")  # what unittest runs, whatever pytest's settings are


@dataclass(frozen=True, slots=True)
class Names:
    """Names that start with one of the words, or match it if it is a glob."""

    words: tuple[str, ...]

    def matches(self, name: str) -> bool:
        """Whether pytest would accept this name."""
        return _pattern(self.words).match(name) is not None


DEFAULT_FUNCTIONS: Final = Names(("test",))
DEFAULT_CLASSES: Final = Names(("Test",))


@cache
def _pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    parts = [re.escape(word) for word in words]
    parts += [translate(word) for word in words if any(sign in word for sign in "*?[")]
    return re.compile("|".join(parts) if parts else r"(?!)")


@dataclass(frozen=True, slots=True)
class Reading:
    """Everything in a project's settings that affects what is recorded for a file."""

    functions: Names = Names(ALWAYS)
    prefix: str = "IA"


def parse_key(words: Iterable[str], prefix: str = "IA") -> str:
    """Return the key of a reading: the words that make functions tests, and the atom id prefix; "" for the defaults."""
    extra = sorted(set(words) - set(ALWAYS))
    return json.dumps([prefix, *extra], separators=(",", ":")) if extra or prefix != "IA" else ""


def reading(key: str) -> Reading:
    """Return the reading for a key."""
    prefix, *extra = json.loads(key) if key else ["IA"]
    return Reading(Names((*ALWAYS, *extra)), prefix)
