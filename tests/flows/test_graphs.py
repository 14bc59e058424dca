import asyncio
from typing import Any, TypedDict

import pytest

from pactkeeper.flows.driving import Finished, Paused, Thread, open_checkpoints
from pactkeeper.flows.graphs import (
    END,
    Graph,
    PlanExecute,
    React,
    always,
    by_threshold,
    compiled,
    composite,
    keep_waiting,
    plan_execute,
    react,
    walk,
)


class State(TypedDict, total=False):
    seen: list[str]
    iteration: int
    max_iterations: int
    analysis: str
    evidence_level: int
    spent: dict[str, int]
    limits: dict[str, int]
    way: str
    clarification: str
    reply: str
    score: int
    at: str


def node(name, **more):
    async def work(state) -> dict[str, Any]:
        return {"seen": [*state.get("seen", []), name], **more}

    return work


def searching(analysis, **state):
    async def search(now):
        return {"seen": [*now.get("seen", []), "search"], "iteration": now["iteration"] + 1, **state}

    graph = react("r", React(search, node("analyze", analysis=analysis), node("answer"), planning=node("plan")))
    start = {"iteration": 0, "max_iterations": 3, "limits": {"tokens": 10}}
    return asyncio.run(walk(graph, start)).state["seen"]


def test_react_searches_until_it_is_ready():
    assert searching("ready_to_answer") == ["plan", "search", "analyze", "answer"]


def test_react_stops_at_its_iterations_whatever_the_analysis_says():
    assert searching("need_more_search").count("search") == 3


def test_enough_evidence_needs_no_analysis():
    assert searching("need_more_search", evidence_level=4) == ["plan", "search", "answer"]


def test_spent_tokens_go_straight_to_the_answer():
    assert searching("need_more_search", spent={"tokens": 10}) == ["plan", "search", "answer"]


def test_a_clarification_that_nobody_waits_for_is_answered_as_well_as_can_be():
    assert searching("request_clarification") == ["plan", "search", "analyze", "answer"]


@pytest.mark.parametrize(
    ("score", "path"), [(90, ["plan", "do", "judge", "good", "tell"]), (10, ["plan", "do", "judge", "tell"])]
)
def test_plan_execute_goes_where_the_score_says(score, path):
    edge = by_threshold(lambda state: state["score"], [(80, "good")], otherwise="report")
    nodes = PlanExecute(
        node("plan"),
        node("do"),
        node("tell"),
        validate=node("judge", score=score),
        after_validate=edge,
        more={"good": node("good")},
    )
    assert asyncio.run(walk(plan_execute("p", nodes), {})).state["seen"] == path


def routed():
    async def route(state):
        way = "two" if state.get("reply") == "two" else "clarify"
        return {"seen": [*state.get("seen", []), "route"], "way": way, "clarification": "one or two?"}

    graphs = [Graph(name, "a", {"a": node(name)}, {"a": always(END)}) for name in ("one", "two")]
    return composite("c", route, lambda state: state["way"], graphs)


def test_a_walk_that_waits_is_kept_and_another_process_goes_on_with_it(tmp_path):
    async def first():
        paused = await walk(routed(), {})
        assert isinstance(paused, Paused)
        async with open_checkpoints(tmp_path / "c.db") as saver:
            return await keep_waiting(Thread(compiled(routed(), State, saver), "t"), paused)

    async def later():
        async with open_checkpoints(tmp_path / "c.db") as saver:
            thread = Thread(compiled(routed(), State, saver), "t")
            now = await thread.look()
            assert isinstance(now, Paused)
            return await thread.answer({now.waits[0].id: "two"})

    assert asyncio.run(first()).waits[0].about == "one or two?"
    found = asyncio.run(later())
    assert isinstance(found, Finished)
    assert found.state["seen"] == ["route", "route", "two"]


def test_walked_and_compiled_a_graph_does_the_same(tmp_path):
    graph = react("r", React(node("search", iteration=1), node("analyze", analysis="ready_to_answer"), node("answer")))
    start = {"iteration": 0, "max_iterations": 3}

    async def kept():
        async with open_checkpoints(tmp_path / "c.db") as saver:
            return await Thread(compiled(graph, State, saver), "t").start(start)

    assert asyncio.run(kept()).state == asyncio.run(walk(graph, start)).state


def test_a_node_without_a_way_out_is_refused():
    with pytest.raises(ValueError, match="exactly one edge"):
        Graph("g", "a", {"a": node("a")}, {})
