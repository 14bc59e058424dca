"""Observations: things seen in a source, with where, when, and how far they can be trusted."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from pactkeeper.ledger.canonical import JsonValue, digest
from pactkeeper.ledger.health import Health, allows_presence

Trust = Literal["machine", "human", "model"]

# What a machine recorded outweighs what a person says, and that outweighs what a model wrote.
TRUST_ORDER: Final[tuple[Trust, ...]] = ("machine", "human", "model")

CursorKind = Literal["commit", "offset", "event"]


@dataclass(frozen=True, slots=True)
class Span:
    """Where something was seen: a path with lines counted from 1, a record's uuid, or a permalink with no lines."""

    source: str
    locator: str
    first_line: int = 0
    last_line: int = 0


@dataclass(frozen=True, slots=True)
class Observation:
    """Something seen once; `time` is the source's own ISO 8601 time in UTC, empty where the source has none."""

    kind: str
    origin: Span
    time: str
    payload: Mapping[str, JsonValue]
    trust: Trust

    @property
    def id(self) -> str:
        """The same for the same thing seen twice: a replayed record does not become a second observation."""
        origin: list[JsonValue] = [
            self.origin.source,
            self.origin.locator,
            self.origin.first_line,
            self.origin.last_line,
        ]
        return "ob-" + digest([self.kind, origin, self.time, self.payload, self.trust])[3:19]


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far a source has been read: a commit, a byte offset with the uuid that stands before it, or an event id."""

    source: str
    kind: CursorKind
    position: str
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Reading:
    """What one look at a source brought; `next` is where to go on once all of it is stored."""

    observations: tuple[Observation, ...]
    health: Health
    next: Cursor | None


def advance(cursor: Cursor | None, reading: Reading, stored: Collection[str]) -> Cursor | None:
    """Move on to the reading's end only when every observation of it is among the `stored` ids.

    Otherwise, and after a look at an unavailable source, the cursor stays, so that the next run reads the same again.
    """
    if not allows_presence(reading.health) or reading.next is None:
        return cursor
    if cursor is not None and (cursor.source, cursor.kind) != (reading.next.source, reading.next.kind):
        raise ValueError(f"a cursor of {cursor.source!r} ({cursor.kind}) cannot move to {reading.next!r}")
    return reading.next if all(one.id in stored for one in reading.observations) else cursor


def by_trust(observations: Iterable[Observation]) -> tuple[Observation, ...]:
    """Most trusted first, among equals the latest, among those the smallest id: the order in which they decide."""
    latest = sorted(sorted(observations, key=lambda one: one.id), key=lambda one: one.time, reverse=True)
    return tuple(sorted(latest, key=lambda one: TRUST_ORDER.index(one.trust)))
