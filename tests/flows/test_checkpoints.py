import asyncio
import gc
import threading
from typing import TypedDict

import pytest
from langgraph.graph import END, START, StateGraph

from pactkeeper.flows.driving import Finished, Thread, open_checkpoints
from tests.waiting import until


class State(TypedDict, total=False):
    first: int
    second: int


def one_after_the_other(saver, interrupted):
    """Two nodes; `interrupted` is awaited between the result of the first and the edge behind it."""

    async def first(_):
        return {"first": 1}

    async def second(_):
        return {"second": 2}

    async def edge(_):
        await interrupted()
        return "second"

    graph = StateGraph(State)
    graph.add_node("first", first)
    graph.add_node("second", second)
    graph.add_edge(START, "first")
    graph.add_conditional_edges("first", edge, ["second"])
    graph.add_edge("second", END)
    return graph.compile(checkpointer=saver)


async def started(place, interrupted):
    async with open_checkpoints(place) as saver:
        return await Thread(one_after_the_other(saver, interrupted), "thread").start({"first": 0})


def test_node_cancelled_between_its_result_and_its_edge_runs_again(checkpoints):
    async def cut():
        task = asyncio.current_task()
        assert task is not None

        async def interrupted():
            task.cancel()
            await asyncio.sleep(60)

        await started(checkpoints, interrupted)

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cut())
    gc.collect()  # an interrupted run is a process of its own; here its connection lives on in what refers to it
    assert asyncio.run(started(checkpoints, lambda: asyncio.sleep(0))) == Finished({"first": 1, "second": 2})


def test_interrupt_while_checkpoints_are_opened_leaves_no_thread_behind(tmp_path):
    async def cut():
        task = asyncio.current_task()
        assert task is not None
        asyncio.get_running_loop().call_soon(task.cancel)
        await started(tmp_path / "checkpoints.db", lambda: asyncio.sleep(0))

    before = set(threading.enumerate())
    for _ in range(20):
        with pytest.raises(asyncio.CancelledError):
            asyncio.run(cut())
        until(lambda: before.issuperset(threading.enumerate()), "the end of its threads")
