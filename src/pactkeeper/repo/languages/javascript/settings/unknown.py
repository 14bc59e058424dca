"""Values in settings that have no equivalent among Python's own types.

Also the few functions that settings files call, applied to evaluated values.
"""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

SPREAD: Final = "..."  # the key that marks an object into which something unknown was spread


class Sometimes(str):
    """A string that is in a list only under an unknown condition."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Unknown:
    """A value that depends on running the settings; `line` counts from 1."""

    source: str
    line: int = field(compare=False)

    @property
    def start(self) -> str:
        """As much of the source as a message has room for."""
        return self.source[:60]


@dataclass(frozen=True, slots=True)
class Pattern:
    """A regular expression literal."""

    source: str


_MERGING: Final = frozenset({"mergeConfig", "merge", "assign", "mergeDeep"})
_PATHS: Final = frozenset({"join", "resolve", "normalize"})


def called(name: str, values: Sequence[object], *, folder: str, unknown: Unknown) -> object:
    """Evaluate `name(values)`: join paths, merge settings, or pass them through as `defineConfig` and similar do."""
    strings = [value for value in values if isinstance(value, str)]
    if name in _PATHS and strings and len(strings) == len(values):
        start = [folder] if name == "resolve" else []
        end = "/" if name != "resolve" and strings[-1].endswith("/") else ""
        return posixpath.normpath(posixpath.join(*start, *strings)) + end
    if name in {"fileURLToPath", "pathToFileURL"} and values:
        return values[0]
    if name == "dirname" and strings:
        return posixpath.dirname(strings[0])
    if name in _MERGING:
        return _merged(values, unknown)
    if len(values) == 1 and name.startswith(("define", "create", "with")):
        return values[0]
    return unknown


def concatenated(first: object, values: Sequence[object], unknown: Unknown) -> object:
    """Evaluate `first.concat(values)`."""
    if not isinstance(first, list):
        return unknown
    joined = list(first)
    for value in values:
        joined += value if isinstance(value, list) else [value]
    return joined


def any_of(values: Sequence[object]) -> object:
    """Combine alternative values: the union of lists, with items marked that aren't in all of them."""
    lists = [value for value in values if isinstance(value, list)]
    if lists:
        joined: list[object] = []
        for value in lists:
            joined += [item for item in value if item not in joined]
        whole = len(lists) == len(values)
        return [item if whole and all(item in value for value in lists) else _sometimes(item) for item in joined]
    known = [value for value in values if not isinstance(value, Unknown) and value is not None]
    return known[-1] if len(known) == 1 or (known and isinstance(known[-1], dict)) else values[-1]


def _sometimes(item: object) -> object:
    return Sometimes(item) if isinstance(item, str) else item


def _merged(values: Sequence[object], unknown: Unknown) -> object:
    merged: object = {}
    for value in values:
        merged = _merge(merged, value if isinstance(value, dict) else {SPREAD: unknown})
    return merged


def _merge(first: object, second: object) -> object:
    if isinstance(first, dict) and isinstance(second, dict):
        merged = dict(first)
        for key, value in second.items():
            merged[key] = _merge(first[key], value) if key in first else value
        return merged
    if isinstance(first, list) and isinstance(second, list):
        return first + second
    return second
