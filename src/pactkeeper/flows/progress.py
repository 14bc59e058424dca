"""How far a node is, told while it works."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """`done` of `total` units of a node, in the unit that `unit` names."""

    node: str
    done: int
    total: int
    unit: str = "tests"


def tell(progress: Progress) -> None:
    """Pass progress on to whoever drives the graph; may only be called inside a node."""
    from langgraph.config import get_stream_writer  # noqa: PLC0415 - only where a graph runs

    get_stream_writer()(progress)
