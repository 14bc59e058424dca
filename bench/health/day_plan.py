"""What happens on a simulated day: commits with faults that come and go, merges during sweeps, and kills."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Final, Literal

DAY: Final = 86_400.0  # seconds
BURST: Final = 8  # faults that come with one commit; more than one sweep makes tasks for

Kind = Literal["break", "burst", "mend", "work", "botch", "nothing"]
_KINDS: Final[tuple[tuple[Kind, float], ...]] = (
    ("break", 0.16),
    ("burst", 0.01),
    ("mend", 0.18),
    ("work", 0.20),
    ("botch", 0.03),
    ("nothing", 0.42),
)
Kill = Literal["", "checking", "concluding", "beginning", "waiting"]
KILLS: Final[tuple[Kill, ...]] = ("checking", "concluding", "beginning", "waiting")


@dataclass(frozen=True, slots=True)
class Event:
    """One commit at a time in seconds since the morning.

    `during` has it made while a sweep runs; `kill` names what the watch is doing when it is killed around it. "mend"
    is a commit by somebody without a task, "work" one by a worker who claims a task, "botch" one that mends nothing.
    """

    at: float
    kind: Kind
    during: bool = False
    kill: Kill = ""
    delay: float = 0.0  # real seconds until the kill


def plan(seed: int, *, commits: int, kills: int, until: float = DAY) -> list[Event]:
    """A day; the same seed gives the same one. Kills lie in its first two thirds, so that the rest shows one life."""
    chance = random.Random(seed)  # noqa: S311 - the same day every time
    moments = sorted(chance.uniform(0, until) for _ in range(commits))
    killed = sorted(chance.sample(range(commits * 2 // 3), kills))
    found = []
    for number, at in enumerate(moments):
        kind = chance.choices([one for one, _ in _KINDS], [share for _, share in _KINDS])[0]
        during = chance.random() < 0.15
        kill: Kill = KILLS[killed.index(number) % len(KILLS)] if number in killed else ""
        found.append(Event(at, kind, during or kill in {"checking", "concluding"}, kill, chance.uniform(0, 0.25)))
    return found
