"""A person's stricter limits on actions that conversations suggest: the table `[actions]` of transcripts.toml."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from pactkeeper.intent.actions import BOARD_VERBS, HIGH, LOW
from pactkeeper.settings.file import Check, is_whole, misfits, whole

# Above the points of any action, so this threshold is never reached.
NEVER: Final = 101
PER_RUN: Final = 25
PER_DAY: Final = 50
DOLLARS: Final = 1_000_000
_LEAST: Final[Mapping[str, int]] = {"auto": HIGH + 1, "ask": LOW}
_MOST_COUNT: Final = 1000
_MOST_DOLLARS: Final = 1000


@dataclass(frozen=True, slots=True)
class Restraint:
    """Minimum points for a verb to run automatically (`auto`), or to be proposed at all (`ask`).

    `per_run` and `per_day` limit how many actions run automatically, across all verbs; `dollars` is what models may
    cost in a day before a person is notified, in millionths of a dollar.
    """

    auto: Mapping[str, int] = field(default_factory=dict)
    ask: Mapping[str, int] = field(default_factory=dict)
    per_run: int = PER_RUN
    per_day: int = PER_DAY
    dollars: int = DOLLARS


def restraint_of(found: Mapping[str, Any]) -> Restraint:
    """Read the table, once `problems_of` has found no problems."""
    dollars = found.get("dollars_a_day")
    return Restraint(
        found.get("auto", {}),
        found.get("ask", {}),
        found.get("per_run", PER_RUN),
        found.get("per_day", PER_DAY),
        DOLLARS if dollars is None else int(Decimal(dollars) * 1_000_000),
    )


def problems_of(found: object) -> Iterator[str]:
    """Every problem of the table."""
    if not isinstance(found, dict):
        yield f"actions = {found!r} is no table; write [actions]"
        return
    yield from misfits(found, _ACTIONS, "actions")
    for key, least in _LEAST.items():
        yield from _thresholds(key, found.get(key, {}), least)


def _thresholds(key: str, found: object, least: int) -> Iterator[str]:
    if not isinstance(found, dict):
        yield f"actions.{key} = {found!r} is no table of points by verb"
        return
    for verb, points in found.items():
        if verb not in BOARD_VERBS:
            yield f"actions.{key}.{verb} is no action; known are {', '.join(BOARD_VERBS)}"
        elif not is_whole(points, least, NEVER):
            yield f"actions.{key}.{verb} = {points!r} is no whole number from {least} to {NEVER}, which is never"


def _dollars(value: object) -> str:
    try:
        fits = isinstance(value, str) and 0 <= Decimal(value) <= _MOST_DOLLARS
    except InvalidOperation:
        fits = False
    return "" if fits else 'is no amount such as "1.00"'


def _told_by_verb(_: object) -> str:
    return ""


_ACTIONS: Final[Mapping[str, Check]] = {
    **dict.fromkeys(_LEAST, _told_by_verb),
    "per_run": whole(0, _MOST_COUNT),
    "per_day": whole(0, _MOST_COUNT),
    "dollars_a_day": _dollars,
}
