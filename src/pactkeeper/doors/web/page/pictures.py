"""Pictures as SVG, made on the server: bars of shares and a line over time. Every one has its numbers as text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 640, 120


@dataclass(frozen=True, slots=True)
class Share:
    """One part of a whole; `kind` is the class that colours it, `start` and `width` are in thousandths."""

    name: str
    count: int
    kind: str
    start: float = 0.0
    width: float = 0.0


def shares(parts: Sequence[tuple[str, int, str]]) -> tuple[Share, ...]:
    """Parts of a whole side by side, empty ones left out."""
    total = sum(count for _, count, _ in parts) or 1
    made: list[Share] = []
    start = 0.0
    for name, count, kind in parts:
        if count:
            width = count * 1000 / total
            made.append(Share(name, count, kind, round(start, 2), round(width, 2)))
            start += width
    return tuple(made)


@dataclass(frozen=True, slots=True)
class TrendLine:
    """A line over time: SVG points, the area below it, and what its ends are called."""

    points: str
    area: str
    first: str
    last: str
    low: int
    high: int


def line(values: Sequence[tuple[str, int]]) -> TrendLine | None:
    """Percentages by moment, the oldest first; None for fewer than two, which is no line."""
    if len(values) <= 1:
        return None
    step = WIDTH / (len(values) - 1)
    places = [
        (round(index * step, 1), round(HEIGHT - value * HEIGHT / 100, 1)) for index, (_, value) in enumerate(values)
    ]
    points = " ".join(f"{x},{y}" for x, y in places)
    numbers = [value for _, value in values]
    return TrendLine(
        points, f"0,{HEIGHT} {points} {WIDTH},{HEIGHT}", values[0][0], values[-1][0], min(numbers), max(numbers)
    )
