"""Which names a project's settings make tests: pytest's prefixes and globs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import translate
from functools import cache
from typing import Final

_ALWAYS: Final = ("test", "runTest")  # what unittest runs whatever pytest is told


@dataclass(frozen=True, slots=True)
class Names:
    """Names that begin with one of the words, or match one of them where it is a glob."""

    words: tuple[str, ...]

    def matches(self, name: str) -> bool:
        """Whether pytest would take this name."""
        return _pattern(self.words).match(name) is not None


DEFAULT_FUNCTIONS: Final = Names(("test",))
DEFAULT_CLASSES: Final = Names(("Test",))


@cache
def _pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    parts = [re.escape(word) for word in words]
    parts += [translate(word) for word in words if any(sign in word for sign in "*?[")]
    return re.compile("|".join(parts) if parts else r"(?!)")


def parse_key(words: Iterable[str]) -> str:
    """Name everything that a project's function names change about facts; "" for the defaults."""
    extra = sorted(set(words) - set(_ALWAYS))
    return json.dumps(extra, separators=(",", ":")) if extra else ""


def names_of(key: str) -> Names:
    """The function names that facts made under this key have details for."""
    extra: Sequence[str] = json.loads(key) if key else ()
    return Names((*_ALWAYS, *extra))
