"""When the next sweep is due: soon after a red sweep or a new commit, later after enough green ones in a row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final, Literal

from pactkeeper.catalog.placement import Lock
from pactkeeper.intent.health import FAILED, HealthSettings, Sweep

SWEEPING: Final = Lock("sweep.lock", "is sweeping this repository; wait for it to end")
WATCHING: Final = Lock("watch.lock", "watches this repository already; end it first, or leave the work to it")
Colour = Literal["green", "red", "not known"]

SLOWEST_RETRY: Final = 3600  # seconds; a sweep that can't start is retried at least hourly


@dataclass(frozen=True, slots=True)
class Pace:
    """The inputs for scheduling the next sweep: when and at which commit the last one ended, and colours, newest first.

    `ended` is None and `commit` empty before the first sweep.
    """

    settings: HealthSettings = field(default_factory=HealthSettings)
    ended: datetime | None = None
    commit: str = ""
    colours: tuple[Colour, ...] = ()


def colour(sweep: Sweep) -> Colour:
    """Red if anything but lint failed or timed out, green if everything applicable passed, else not known.

    A partial sweep is never green, nor is one that skips the conflict-marker check or builds, compiles and tests
    nothing. Conflict markers are red even if the environment is at fault.
    """
    if any(one.category == "conflict" and one.verdict == "fail" for one in sweep.results):
        return "red"
    if sweep.infrastructure:
        return "not known"
    if any(one.verdict in FAILED for one in sweep.results if one.category != "lint"):
        return "red"
    whole = any(one.category == "conflict" for one in sweep.results)
    return "green" if whole and sweep.green else "not known"


def colours(sweeps: Iterable[Sweep]) -> tuple[Colour, ...]:
    """Return the colours of sweeps in order, without stale ones, which count for nothing."""
    return tuple(colour(one) for one in sweeps if not one.stale)


def next_interval(history: Sequence[Colour], settings: HealthSettings) -> int:
    """Return the seconds between one sweep and the next; `history` is newest first.

    The fastest pace applies after a red sweep until `greens` in a row were green, the ordinary one otherwise. Sweeps of
    unknown colour change nothing.
    """
    judged = [one for one in history if one != "not known"]
    fastest = min(settings.fastest, settings.interval)
    return fastest if "red" in judged[: settings.greens] else settings.interval


def due_at(pace: Pace, *, tip: str, now: datetime) -> datetime:
    """Return when to sweep next: after the interval, or after the fastest one if the branch has moved.

    Due at once before the first sweep, or if the last one ended in the future, as after a clock was set back.
    """
    if pace.ended is None or pace.ended > now:
        return now
    seconds = next_interval(pace.colours, pace.settings)
    if tip != pace.commit:
        seconds = min(seconds, pace.settings.fastest)
    return pace.ended + timedelta(seconds=seconds)


def retry_after(failures: int, settings: HealthSettings) -> int:
    """Return the seconds to wait after consecutive sweeps that couldn't start: doubling each time, up to an hour."""
    doubled = settings.fastest << min(failures - 1, 20)
    return min(doubled, max(SLOWEST_RETRY, settings.fastest))
