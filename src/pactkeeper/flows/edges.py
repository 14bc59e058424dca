"""Edges: where a graph goes next, decided by numbers in its state."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

State = Mapping[str, Any]
Edge = Callable[[State], str]


def by_threshold(score: Callable[[State], int], steps: Sequence[tuple[int, str]], *, otherwise: str) -> Edge:
    """Go to the node of the highest threshold that the score reaches, `otherwise` where it reaches none."""
    descending = sorted(steps, key=lambda step: step[0], reverse=True)

    def edge(state: State) -> str:
        reached = score(state)
        return next((node for threshold, node in descending if reached >= threshold), otherwise)

    return edge


def quality_gate(score: Callable[[State], int], threshold: int, *, passed: str, failed: str) -> Edge:
    """Go on where the score reaches the threshold, elsewhere go back."""
    return by_threshold(score, [(threshold, passed)], otherwise=failed)


def within_budget(used: Callable[[State], int], limit: Callable[[State], int], *, go_on: Edge, stop: str) -> Edge:
    """Follow `go_on` while the budget lasts, and go to `stop` once it is used up, whatever `go_on` would say."""

    def edge(state: State) -> str:
        return stop if used(state) >= limit(state) else go_on(state)

    return edge
