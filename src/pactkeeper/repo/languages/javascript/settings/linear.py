"""Regular expressions of settings, matched so that no expression that others wrote can keep a run busy."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Final, cast

import re2

_MOST_REPEATS: Final = 3  # of an expression that only Python's engine takes: at most the cube of a path
_REPEAT: Final = re.compile(r"[*+]|\{\d*+,")
_REPEATED_GROUP: Final = re.compile(r"\)(?:[*+]|\{\d)")


@dataclass(frozen=True, slots=True)
class Expressions:
    """Expressions of which one has to match at the start of a path that begins with one of `roots`."""

    of: tuple[re.Pattern[str], ...]
    roots: tuple[str, ...] = ("/",)

    def match(self, path: str) -> bool:
        """Whether the path is meant."""
        return path.startswith(self.roots) and any(one.match(sound(path)) is not None for one in self.of)


@cache
def linear(source: str) -> re.Pattern[str] | None:
    """Compile an expression; None for one that is broken, or that may run away.

    RE2 takes time linear in the text and knows no look-around or back references. An expression that needs them is
    left to Python's engine where it repeats little and repeats no group.
    """
    options = re2.Options()
    options.log_errors, options.dot_nl = False, True
    try:
        return cast("re.Pattern[str]", re2.compile(source, options))
    except re2.error:
        pass
    if len(_REPEAT.findall(source)) > _MOST_REPEATS or _REPEATED_GROUP.search(source):
        return None
    try:
        return re.compile(source, re.DOTALL)
    except (re.error, OverflowError, RecursionError):
        return None


def either(sources: Iterable[str], roots: tuple[str, ...] = ("/",)) -> Expressions:
    """What matches where any of the expressions does; those that `linear` refuses match nothing."""
    compiled = (linear(source) for source in sources)
    return Expressions(tuple(one for one in compiled if one is not None), roots)


def python_form(source: str) -> str:
    """An expression of JavaScript in the words of Python and RE2."""
    plain = source.replace("\\/", "/").replace("(?<", "(?P<")
    return plain.replace("(?P<=", "(?<=").replace("(?P<!", "(?<!")


def sound(text: str) -> str:
    """A text that RE2 takes: what is no character becomes a question mark."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
