"""What a person makes stricter about actions that conversations suggest: the table `[actions]` of transcripts.toml."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from pactkeeper.intent.actions import BOARD_VERBS, HIGH, LOW

# Above every action's points: a threshold that nothing reaches.
NEVER: Final = 101
PER_RUN: Final = 25
PER_DAY: Final = 50
DOLLARS: Final = 1_000_000
_LEAST: Final[Mapping[str, int]] = {"auto": HIGH + 1, "ask": LOW}
_COUNTS: Final = ("per_run", "per_day")
_MOST_COUNT: Final = 1000
_MOST_DOLLARS: Final = 1000
_KEYS: Final = (*_LEAST, *_COUNTS, "dollars_a_day")


@dataclass(frozen=True, slots=True)
class Restraint:
    """Points below which a verb does not happen by itself (`auto`), or is not even proposed (`ask`).

    `per_run` and `per_day` are how many actions may happen by themselves, whatever their verbs; `dollars` is what
    models may cost in a day before a person is told, in millionths.
    """

    auto: Mapping[str, int] = field(default_factory=dict)
    ask: Mapping[str, int] = field(default_factory=dict)
    per_run: int = PER_RUN
    per_day: int = PER_DAY
    dollars: int = DOLLARS


def restraint_of(found: Mapping[str, Any]) -> Restraint:
    """Read the table, of which `problems_of` found none."""
    dollars = found.get("dollars_a_day")
    return Restraint(
        found.get("auto", {}),
        found.get("ask", {}),
        found.get("per_run", PER_RUN),
        found.get("per_day", PER_DAY),
        DOLLARS if dollars is None else int(Decimal(dollars) * 1_000_000),
    )


def problems_of(found: object) -> Iterator[str]:
    """Everything that is wrong with the table."""
    if not isinstance(found, dict):
        yield f"actions = {found!r} is no table; write [actions]"
        return
    for key in found:
        if key not in _KEYS:
            yield f"the key actions.{key} is not known; known are {', '.join(_KEYS)}"
    for key, least in _LEAST.items():
        yield from _thresholds(key, found.get(key, {}), least)
    for key in _COUNTS:
        if not _is_whole(found.get(key, 0), 0, _MOST_COUNT):
            yield f"actions.{key} = {found[key]!r} is no whole number from 0 to {_MOST_COUNT:,}"
    dollars = found.get("dollars_a_day", "1.00")
    if not _is_dollars(dollars):
        yield f'actions.dollars_a_day = {dollars!r} is no amount such as "1.00"'


def _thresholds(key: str, found: object, least: int) -> Iterator[str]:
    if not isinstance(found, dict):
        yield f"actions.{key} = {found!r} is no table of points by verb"
        return
    for verb, points in found.items():
        if verb not in BOARD_VERBS:
            yield f"actions.{key}.{verb} is no action; known are {', '.join(BOARD_VERBS)}"
        elif not _is_whole(points, least, NEVER):
            yield f"actions.{key}.{verb} = {points!r} is no whole number from {least} to {NEVER}, which is never"


def _is_whole(value: object, least: int, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def _is_dollars(value: object) -> bool:
    try:
        return isinstance(value, str) and 0 <= Decimal(value) <= _MOST_DOLLARS
    except InvalidOperation:
        return False
