"""What kind of failure a diagnostic is, by its rule and place: what decides who mends it, and with what."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from pathlib import PurePosixPath
from typing import Final

from pactkeeper.health.causes import misses_foreign
from pactkeeper.health.tree import is_lock
from pactkeeper.intent.health import Diagnostic, FailureKind

_SYNTAX: Final = re.compile(r"(?:Syntax|Indentation|Tab|Parse)Error\Z|TS1\d{3}\Z|syntax\Z|(?:reportS|s)yntaxError\Z")
_GO_SYNTAX: Final = "syntax error: "
_OPTIONS: Final = re.compile(r"TS(?:5\d{3}|6\d{3}|18003)\Z")  # what tsc says of tsconfig.json
_TYPES: Final = re.compile(
    r"TS\d+\Z|report[A-Z]\w+\Z|[a-z]+(?:-[a-z]+)+\Z|(?:assignment|index|misc|operator|override)\Z"
)
_SETTINGS: Final = ("config", "rc")  # how a part of the name of a settings file ends


def kind_of(one: Diagnostic, own: Collection[str], suspects: Sequence[str] = ()) -> FailureKind:
    """The kind of one failure that is the commit's.

    `own` names the modules that the repository has itself, `suspects` the files that the failure may come from.
    """
    if one.category in {"conflict", "lint"}:
        return "conflict" if one.category == "conflict" else "lint"
    if one.rule == "timeout":
        return "timeout"
    if (_SYNTAX.search(one.rule) and not one.symbol) or one.message.startswith(_GO_SYNTAX):
        return "syntax"
    if misses_foreign(one, own):
        return "dependency"
    if _is_of_settings(one, suspects):
        return "settings"
    if one.category == "test":
        return "test"
    return "types" if _TYPES.match(one.rule) else "build"


def _is_of_settings(one: Diagnostic, suspects: Sequence[str]) -> bool:
    """Whether it stands in a file of settings, or is a tool's last word about one and about nothing else."""
    places = [one.file] if one.file else [] if one.test else one.related or suspects
    return _OPTIONS.match(one.rule) is not None or (bool(places) and all(map(_is_settings, places)))


def _is_settings(path: str) -> bool:
    name = PurePosixPath(path).name
    return is_lock(path) or name.endswith((".ini", ".cfg")) or any(one.endswith(_SETTINGS) for one in name.split("."))
