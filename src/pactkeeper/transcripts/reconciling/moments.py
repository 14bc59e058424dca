"""When artifacts were said, and which of two came later."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from itertools import groupby
from typing import Final

from pactkeeper.transcripts.reconciling import SeenArtifact, instant

_EARLIEST: Final = datetime.min.replace(tzinfo=UTC)


def timed(artifacts: Iterable[SeenArtifact]) -> tuple[SeenArtifact, ...]:
    """The artifacts in the given order, each with its moment; a clock that steps back in a file reorders nothing."""
    given = tuple(artifacts)
    moments: dict[int, datetime | None] = {}
    placed = sorted(range(len(given)), key=lambda row: place_of(given[row]))
    for _, rows in groupby(placed, lambda row: given[row].artifact.file):
        above: datetime | None = None
        for _, here in groupby(rows, lambda row: place_of(given[row])):
            own = {row: instant(given[row].artifact.at) for row in here}
            moments |= {row: (above if at and above and above > at else at) for row, at in own.items()}
            above = max(filter(None, (above, *own.values())), default=None)
    return tuple(replace(seen, moment=moments[row]) for row, seen in enumerate(given))


def in_time(artifacts: Iterable[SeenArtifact]) -> tuple[SeenArtifact, ...]:
    """Sort by moment, earliest first; within a file ties keep their position, else the given order."""
    given = tuple(artifacts)
    files = {seen.artifact.file: row for row, seen in reversed(tuple(enumerate(given)))}
    placed = sorted(given, key=lambda seen: (files[seen.artifact.file], place_of(seen)))
    return tuple(sorted(placed, key=lambda seen: seen.moment or _EARLIEST))


def follows(one: SeenArtifact, other: SeenArtifact) -> bool:
    """Whether `one` was certainly said after `other`; False if either has no time."""
    if one.moment is None or other.moment is None or one.moment < other.moment:
        return False
    (file, start), (others, earlier) = place_of(one), place_of(other)
    return one.moment > other.moment or (file == others and start > earlier)


def comes_after(one: SeenArtifact, other: SeenArtifact) -> bool:
    """Whether `one` stands further down in the same file, or was certainly said later in another one."""
    (file, start), (others, earlier) = place_of(one), place_of(other)
    return start > earlier if file == others and start != earlier else follows(one, other)


def place_of(seen: SeenArtifact) -> tuple[str, int]:
    """Where an artifact ends: its file, and the offset of the record."""
    place = seen.artifact.excerpts[-1].place
    return place.file, place.start
