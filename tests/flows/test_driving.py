import asyncio
import operator
from typing import Annotated, TypedDict, cast

import pytest
from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt

from pactkeeper.errors import InputError, UsageError
from pactkeeper.flows.driving import Finished, Paused, Progress, Thread, open_checkpoints, tell


class State(TypedDict, total=False):
    visited: Annotated[list[str], operator.add]
    answers: Annotated[list[str], operator.add]


def graph_with(checkpointer, failing=()):
    """Two questions asked at the same time between a beginning and an end; nodes in `failing` fail once."""
    fail = list(failing)

    def node(name):
        async def visit(_):
            if name in fail:
                fail.remove(name)
                raise OSError(name)
            tell(Progress(name, 1, 1))
            return {"visited": [name]}

        return visit

    def asking(name):
        async def ask(_):
            return {"answers": [f"{name}: {interrupt({'question': name})}"]}

        return ask

    graph = StateGraph(State)
    graph.add_node("begin", node("begin"))
    graph.add_node("first", asking("first"))
    graph.add_node("second", asking("second"))
    graph.add_node("end", node("end"))
    graph.add_edge(START, "begin")
    graph.add_edge("begin", "first")
    graph.add_edge("begin", "second")
    graph.add_edge(["first", "second"], "end")
    graph.add_edge("end", END)
    return graph.compile(checkpointer=checkpointer)


def driven(place, work, **options):
    """Do work on a thread that is opened anew, as another process would."""

    async def run():
        async with open_checkpoints(place) as saver:
            return await work(Thread(graph_with(saver, **options), "thread"))

    return asyncio.run(run())


def test_answers_go_to_the_questions_whose_ids_they_name_in_any_order(checkpoints):
    paused = driven(checkpoints, lambda thread: thread.start({}))
    assert isinstance(paused, Paused)
    ids = {cast("dict", one.about)["question"]: one.id for one in paused.waits}
    waiting = driven(checkpoints, lambda thread: thread.answer({ids["second"]: "two"}))
    assert isinstance(waiting, Paused)
    finished = driven(checkpoints, lambda thread: thread.answer({ids["first"]: "one"}))
    assert isinstance(finished, Finished)
    assert sorted(finished.state["answers"]) == ["first: one", "second: two"]
    assert finished.state["visited"] == ["begin", "end"]


def test_answer_to_nothing_that_is_asked_is_refused(checkpoints):
    driven(checkpoints, lambda thread: thread.start({}))
    with pytest.raises(KeyError, match="nobody"):
        driven(checkpoints, lambda thread: thread.answer({"nobody": "x"}))


def test_start_of_a_waiting_thread_runs_nothing(checkpoints):
    first = driven(checkpoints, lambda thread: thread.start({}))
    again = driven(checkpoints, lambda thread: thread.start({"visited": ["anew"]}))
    assert again == first


def test_thread_whose_node_failed_goes_on_at_that_node(checkpoints):
    paused = driven(checkpoints, lambda thread: thread.start({}))
    answers = {one.id: "yes" for one in paused.waits}
    with pytest.raises(OSError, match="end"):
        driven(checkpoints, lambda thread: thread.answer(answers), failing=["end"])
    finished = driven(checkpoints, lambda thread: thread.start({}))
    assert finished.state["visited"] == ["begin", "end"]
    assert len(finished.state["answers"]) == 2


def test_whoever_drives_hears_of_progress(tmp_path):
    heard: list[Progress] = []

    async def run():
        async with open_checkpoints(tmp_path / "checkpoints.db") as saver:
            await Thread(graph_with(saver), "thread", heard.append).start({})

    asyncio.run(run())
    assert heard == [Progress("begin", 1, 1)]


def test_whatever_is_traced_below_a_run_carries_its_tag(tmp_path):
    seen = {}

    async def node(_, config):
        seen.update(config)
        return {"visited": ["node"]}

    async def run():
        async with open_checkpoints(tmp_path / "checkpoints.db") as saver:
            graph = StateGraph(State)
            graph.add_node("node", node)
            graph.add_edge(START, "node")
            await Thread(graph.compile(checkpointer=saver), "REC-1", tag="reconciliation-agent").start({})

    asyncio.run(run())
    assert "reconciliation-agent" in seen["tags"]
    assert seen["metadata"]["run"] == "REC-1"


def test_file_that_holds_no_checkpoints_is_named(tmp_path):
    place = tmp_path / "checkpoints.db"
    place.write_text("no database at all, and longer than a header would be\n" * 40)
    with pytest.raises(InputError, match=r"checkpoints\.db"):
        driven(place, lambda thread: thread.start({}))


def test_other_databases_are_refused():
    with pytest.raises(UsageError):
        driven("mysql://localhost/x", lambda thread: thread.start({}))


class Broken(Exception):
    """The process is gone."""


@pytest.mark.parametrize("dies_at", range(1, 5))
def test_thread_whose_process_died_before_a_checkpoint_goes_on_to_its_end(checkpoints, dies_at):
    async def run():
        async with open_checkpoints(checkpoints) as saver:
            whole, seen = saver.aput, []

            async def torn(*arguments):
                seen.append(arguments)
                if len(seen) == dies_at:
                    raise Broken
                return await whole(*arguments)

            saver.aput = torn  # type: ignore[method-assign]
            with pytest.raises(Broken):
                await Thread(straight(saver), "run-1").start({"visited": ["start"]})
        async with open_checkpoints(checkpoints) as saver:
            return await Thread(straight(saver), "run-1").start({"visited": ["start"]})

    ended = asyncio.run(run())
    assert isinstance(ended, Finished)
    assert ended.state["visited"] == ["start", "a", "b"]


def straight(checkpointer):
    """Two nodes, one after the other."""

    def node(name):
        async def visit(_):
            return {"visited": [name]}

        return visit

    graph = StateGraph(State)
    for name in ("a", "b"):
        graph.add_node(name, node(name))
    graph.add_edge(START, "a")
    graph.add_edge("a", "b")
    graph.add_edge("b", END)
    return graph.compile(checkpointer=checkpointer)
