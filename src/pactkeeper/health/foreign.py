"""Modules that a repository does not have itself: what is missing then is no file of the commit."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from pathlib import PurePosixPath
from typing import Final

from pactkeeper.intent.health import Diagnostic

_NO_MODULE: Final = frozenset({"ModuleNotFoundError", "TS2307", "reportMissingImports", "import-not-found"})
_SCRIPT: Final = re.compile(
    r"(?:Cannot find (?:module|package) '|Failed to resolve import \"|Failed to load url )([^\s'\"]+)"
)


def missing_package(one: Diagnostic) -> str:
    """The outermost name of the module that a failure misses; empty for other failures and a path of the repository."""
    hit = _SCRIPT.search(one.message)
    symbol = hit[1] if hit else one.symbol if one.rule in _NO_MODULE else ""
    if symbol.startswith((".", "/", "@/", "~", "#", "node:")):
        return ""
    if symbol.startswith("@"):
        return "/".join(symbol.split("/")[:2])
    return symbol.partition("/")[0] if hit or one.rule == "TS2307" else symbol.partition(".")[0].partition("/")[0]


def own_names(paths: Iterable[str]) -> frozenset[str]:
    """What modules of a repository can be called by: its folders, and its files without their endings."""
    return frozenset(part for path in paths for part in _names(path))


def misses_foreign(one: Diagnostic, own: Collection[str]) -> bool:
    """Whether a failure is that a module is missing which is none of the repository's `own`."""
    package = missing_package(one)
    return bool(package) and package not in own


def _names(path: str) -> tuple[str, ...]:
    place = PurePosixPath(path)
    return (*place.parts[:-1], place.name.partition(".")[0])
