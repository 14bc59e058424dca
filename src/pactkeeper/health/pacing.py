"""When the next sweep is due: soon after a red one or a new commit, later once enough were green in a row."""

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

SLOWEST_RETRY: Final = 3600  # seconds; however often a sweep was not possible, it is tried again within an hour


@dataclass(frozen=True, slots=True)
class Pace:
    """What decides about the next sweep: when the last one ended, at which commit, and the colours, newest first.

    `ended` is None and `commit` empty where nothing was swept yet.
    """

    settings: HealthSettings = field(default_factory=HealthSettings)
    ended: datetime | None = None
    commit: str = ""
    colours: tuple[Colour, ...] = ()


def colour(sweep: Sweep) -> Colour:
    """Red where anything but lint failed or ran out of time, green where all that applies passed, else not known.

    A sweep of some checks only is never green, and neither is one that does not look for conflict markers, or in which
    nothing was built, compiled or tested. Conflict markers are red whatever is wrong with the surroundings.
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
    """The colours of sweeps in their order, without stale ones, from which nothing follows."""
    return tuple(colour(one) for one in sweeps if not one.stale)


def next_interval(history: Sequence[Colour], settings: HealthSettings) -> int:
    """Seconds from the end of one sweep to the next; `history` is the newest first.

    The fastest pace from a red sweep until `greens` ones in a row were green, the ordinary one otherwise. What is not
    known neither speeds up nor slows down.
    """
    judged = [one for one in history if one != "not known"]
    fastest = min(settings.fastest, settings.interval)
    return fastest if "red" in judged[: settings.greens] else settings.interval


def due_at(pace: Pace, *, tip: str, now: datetime) -> datetime:
    """When to sweep next: after the interval, or after the fastest one where the branch has moved to another commit.

    At once where nothing was swept yet, or where the last sweep ended in the future, as after a clock was set back.
    """
    if pace.ended is None or pace.ended > now:
        return now
    seconds = next_interval(pace.colours, pace.settings)
    if tip != pace.commit:
        seconds = min(seconds, pace.settings.fastest)
    return pace.ended + timedelta(seconds=seconds)


def retry_after(failures: int, settings: HealthSettings) -> int:
    """Seconds to wait after so many sweeps in a row that were not possible: twice as long each time, up to an hour."""
    doubled = settings.fastest << min(failures - 1, 20)
    return min(doubled, max(SLOWEST_RETRY, settings.fastest))
