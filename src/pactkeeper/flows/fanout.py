"""Fan-out inside one node: many pieces of work, a few at a time, each stored by itself as soon as it is done.

The pieces are no tasks of the graph: with LangGraph's own limit on concurrency, checkpoint writes queue behind the
remaining tasks, and a killed process loses what was finished.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

Piece = TypeVar("Piece")


async def fan_out(pieces: Iterable[Piece], work: Callable[[Piece], Awaitable[None]], *, at_once: int) -> None:
    """Do `work` for every piece, at most `at_once` at a time; the first failure stops the rest and is raised."""
    slots = asyncio.Semaphore(at_once)

    async def one(piece: Piece) -> None:
        try:
            await work(piece)
        finally:
            slots.release()

    try:
        async with asyncio.TaskGroup() as group:
            for piece in pieces:
                await slots.acquire()
                group.create_task(one(piece))
    except ExceptionGroup as failures:
        raise failures.exceptions[0] from failures.exceptions[0].__cause__
