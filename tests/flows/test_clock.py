"""A clock that steps back between two processes changes nothing: what was made later counts as later."""

import asyncio
import time
from typing import TypedDict

import pytest
from langgraph.checkpoint.base import id as ids
from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt

from pactkeeper.flows.driving import Finished, Paused, Thread, open_checkpoints
from tests.postgres import postgres

__all__ = ["postgres"]

HOUR = 3600 * 10_000_000  # in the 100 ns that ids count


class State(TypedDict, total=False):
    first: int
    second: int


@pytest.fixture
def process():
    """Become a process that sees another time: ids of an earlier process are not remembered."""

    def starts(*, ahead):
        ids._last_v6_timestamp = time.time_ns() // 100 + 0x01B21DD213814000 + ahead if ahead else None

    yield starts
    ids._last_v6_timestamp = None


def asking(saver):
    async def first(_):
        return {"first": interrupt("one?")}

    async def second(_):
        return {"second": interrupt("two?")}

    graph = StateGraph(State)
    graph.add_node("first", first)
    graph.add_node("second", second)
    graph.add_edge(START, "first")
    graph.add_edge("first", "second")
    graph.add_edge("second", END)
    return graph.compile(checkpointer=saver)


async def step(place, answer=None):
    async with open_checkpoints(place) as saver:
        thread = Thread(asking(saver), "thread")
        if answer is None:
            return await thread.start({"first": 0})
        waits = await thread.look()
        assert isinstance(waits, Paused)
        return await thread.answer({waits.waits[0].id: answer})


def test_a_run_goes_on_from_its_last_step_when_the_clock_has_stepped_back(checkpoints, process):
    process(ahead=HOUR)
    assert isinstance(asyncio.run(step(checkpoints)), Paused)
    process(ahead=0)
    assert isinstance(asyncio.run(step(checkpoints, 1)), Paused)
    process(ahead=0)
    ended = asyncio.run(step(checkpoints, 2))
    assert isinstance(ended, Finished)
    assert ended.state == {"first": 1, "second": 2}
