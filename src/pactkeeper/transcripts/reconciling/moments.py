"""When things were said: by their place in a conversation, and by the clock only across conversations."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from itertools import groupby
from typing import Final

from pactkeeper.transcripts.reconciling.sureness import instant
from pactkeeper.transcripts.reconciling.world import SeenArtifact

_EARLIEST: Final = datetime.min.replace(tzinfo=UTC)


def timed(artifacts: Iterable[SeenArtifact]) -> tuple[SeenArtifact, ...]:
    """The artifacts in the order given, each with its moment; a clock that steps back in a file reorders nothing."""
    given = tuple(artifacts)
    moments: dict[int, datetime | None] = {}
    placed = sorted(range(len(given)), key=lambda row: _place(given[row]))
    for _, rows in groupby(placed, lambda row: given[row].artifact.file):
        above: datetime | None = None
        for _, here in groupby(rows, lambda row: _place(given[row])):
            own = {row: instant(given[row].artifact.at) for row in here}
            moments |= {row: _later(at, above) for row, at in own.items()}
            above = max(filter(None, (above, *own.values())), default=None)
    return tuple(replace(seen, moment=moments[row]) for row, seen in enumerate(given))


def in_time(artifacts: Iterable[SeenArtifact]) -> tuple[SeenArtifact, ...]:
    """The earliest first; of one file and moment as they stand there, else in the order given."""
    given = tuple(artifacts)
    files = {seen.artifact.file: row for row, seen in reversed(tuple(enumerate(given)))}
    placed = sorted(given, key=lambda seen: (files[seen.artifact.file], _place(seen)))
    return tuple(sorted(placed, key=lambda seen: seen.moment or _EARLIEST))


def follows(one: SeenArtifact, other: SeenArtifact) -> bool:
    """Whether one was surely said after the other; nothing follows what has no time."""
    if one.moment is None or other.moment is None or one.moment < other.moment:
        return False
    (file, start), (others, earlier) = _place(one), _place(other)
    return one.moment > other.moment or (file == others and start > earlier)


def _place(seen: SeenArtifact) -> tuple[str, int]:
    place = seen.artifact.excerpts[-1].place
    return place.file, place.start


def _later(own: datetime | None, above: datetime | None) -> datetime | None:
    return above if own and above and above > own else own
