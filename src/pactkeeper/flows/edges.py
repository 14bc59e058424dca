"""Edges: where a graph goes next, decided by what its state holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

State = Mapping[str, Any]
Edge = Callable[[State], str]


def always(node: str) -> Edge:
    """Go to this node, whatever the state holds."""
    return lambda _: node


def decision(read: Callable[[State], str], ways: Mapping[str, str], *, otherwise: str) -> Edge:
    """Go where the word that a node left in the state leads, `otherwise` where no way has that name."""
    return lambda state: ways.get(read(state), otherwise)


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


def evidence_threshold(level: Callable[[State], int], enough: int, *, answer: str, go_on: Edge) -> Edge:
    """Go straight to the answer where the best evidence is good enough, and follow `go_on` elsewhere."""
    return lambda state: answer if level(state) >= enough else go_on(state)


def within_budget(used: Callable[[State], int], limit: Callable[[State], int], *, go_on: Edge, stop: str) -> Edge:
    """Follow `go_on` while the budget lasts, and go to `stop` once it is used up, whatever `go_on` would say."""

    def edge(state: State) -> str:
        return stop if used(state) >= limit(state) else go_on(state)

    return edge


def within_spending(spent: str, limits: str, *, go_on: Edge, stop: str) -> Edge:
    """Follow `go_on` until any resource under `spent` reaches its limit under `limits`: money, tokens, calls."""

    def edge(state: State) -> str:
        used, most = state.get(spent, {}), state.get(limits, {})
        return stop if any(used.get(name, 0) >= limit for name, limit in most.items()) else go_on(state)

    return edge
