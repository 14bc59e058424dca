"""A graph as a value: nodes, the edge that leaves each, and where it waits for somebody.

A graph can be walked in this process without loading LangGraph, and compiled for LangGraph if it has to outlive the
process: a walk that reaches a wait stores its state in a checkpoint, and any process with the checkpoints can resume.

Edges choose the next node from the state.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeVar

from pactkeeper.flows.driving import MOST_STEPS, Finished, Paused, State, Thread, Waiting

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.graph.state import CompiledStateGraph


Edge = Callable[[State], str]


def always(node: str) -> Edge:
    """Always go to this node."""
    return lambda _: node


def decision(read: Callable[[State], str], ways: Mapping[str, str], *, otherwise: str) -> Edge:
    """Go to the node that a word in the state maps to, or to `otherwise`."""
    return lambda state: ways.get(read(state), otherwise)


def by_threshold(score: Callable[[State], int], steps: Sequence[tuple[int, str]], *, otherwise: str) -> Edge:
    """Go to the node of the highest threshold that the score reaches, or to `otherwise`."""
    descending = sorted(steps, key=lambda step: step[0], reverse=True)

    def edge(state: State) -> str:
        reached = score(state)
        return next((node for threshold, node in descending if reached >= threshold), otherwise)

    return edge


def quality_gate(score: Callable[[State], int], threshold: int, *, passed: str, failed: str) -> Edge:
    """Go to `passed` if the score reaches the threshold, otherwise to `failed`."""
    return by_threshold(score, [(threshold, passed)], otherwise=failed)


def within_budget(used: Callable[[State], int], limit: Callable[[State], int], *, go_on: Edge, stop: str) -> Edge:
    """Follow `go_on` while the budget lasts; go to `stop` once it is used up, whatever `go_on` would choose."""

    def edge(state: State) -> str:
        return stop if used(state) >= limit(state) else go_on(state)

    return edge


Done = TypeVar("Done")
Delta = Mapping[str, Any]
Node = Callable[[State], Awaitable[Delta]]
Visit = Callable[[str, Callable[[], Awaitable[Delta]]], Awaitable[Delta]]
END: Final = "__end__"
AT: Final = "at"  # the key under which a state records the last node


@dataclass(frozen=True, slots=True)
class Graph:
    """Nodes by name, each with an edge. `waits` are nodes without work, by the state key that holds the question.

    The reply to a wait is stored under `reply`.
    """

    name: str
    start: str
    nodes: Mapping[str, Node]
    edges: Mapping[str, Edge]
    waits: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raise ValueError unless every node has an edge and every edge a node."""
        if self.edges.keys() != self.nodes.keys() | self.waits.keys():
            raise ValueError(f"{self.name}: each node needs exactly one edge")


async def unwatched(_: str, work: Callable[[], Awaitable[Delta]]) -> Delta:
    """Run a node without watching it."""
    return await work()


async def walk(graph: Graph, state: State, visit: Visit = unwatched) -> Finished | Paused:
    """Walk from the start to the end or to the first wait, in this process and without checkpoints."""
    now, node = dict(state), graph.start
    for _ in range(MOST_STEPS):
        if node == END:
            return Finished(now)
        if node in graph.waits:
            return Paused(now, (Waiting(node, now[graph.waits[node]]),))
        work, here = graph.nodes[node], dict(now)
        now |= {**await visit(node, lambda work=work, here=here: work(here)), AT: node}  # type: ignore[misc]  # bound now
        node = graph.edges[node](now)
    raise RuntimeError(f"the graph {graph.name} does not come to an end")


def at_once(work: Coroutine[Any, Any, Done]) -> Done:
    """Run a coroutine that waits for nothing, without an event loop; raises RuntimeError if it does wait."""
    try:
        work.send(None)
    except StopIteration as done:
        result: Done = done.value
        return result
    work.close()
    raise RuntimeError("it waits for something; run it in an event loop")


async def keep_waiting(thread: Thread, paused: Paused) -> Finished | Paused:
    """Store a waiting walk in the checkpoints, so that any process can resume it."""
    return await thread.take_up(paused.state, after=paused.state[AT])


def compiled(
    graph: Graph, schema: type, checkpoints: BaseCheckpointSaver[str], visit: Visit = unwatched
) -> CompiledStateGraph[Any, Any, Any, Any]:
    """The graph for LangGraph, with a checkpoint after every node; `schema` names the keys of the state."""
    from langgraph.graph import START, StateGraph  # noqa: PLC0415 - most of a second, only for stored threads

    built: StateGraph[Any, Any, Any, Any] = StateGraph(schema)
    for name, node in graph.nodes.items():
        built.add_node(name, _visited(name, node, visit))
    for name, key in graph.waits.items():
        built.add_node(name, _waiting(name, key))
    built.add_edge(START, graph.start)
    for name, edge in graph.edges.items():
        built.add_conditional_edges(name, awaited(edge))
    return built.compile(checkpointer=checkpoints)


def awaited(edge: Edge) -> Callable[[State], Awaitable[str]]:
    """The same edge for LangGraph, which hands a plain function to a thread."""

    async def chosen(state: State) -> str:
        return edge(state)

    return chosen


def _visited(name: str, node: Node, visit: Visit) -> Any:  # noqa: ANN401 - LangGraph's own node type
    async def run(state: dict[str, Any]) -> Delta:
        return {**await visit(name, lambda: node(state)), AT: name}

    return run


def _waiting(name: str, key: str) -> Any:  # noqa: ANN401 - likewise
    async def wait(state: dict[str, Any]) -> Delta:
        from langgraph.types import interrupt  # noqa: PLC0415 - as above

        return {"reply": interrupt(state[key]), AT: name}

    return wait


@dataclass(frozen=True, slots=True)
class React:
    """The nodes of planning → search ↔ analyze → synthesize; without `planning`, that step is skipped.

    `analyze` stores its verdict under `analysis`: `need_more_search`, `request_clarification`, or another word if it is
    enough. `search` counts its runs under `iteration`, up to `max_iterations`, and stores the level of its best
    evidence under `evidence_level`; once that reaches `enough`, analysis is skipped.
    """

    search: Node
    analyze: Node
    synthesize: Node
    planning: Node | None = None
    clarify: str = ""
    enough: int = 4


def react(name: str, nodes: React) -> Graph:
    """Search until there is enough for an answer, or the budget is used up."""
    found: dict[str, Node] = {"search": nodes.search, "analyze": nodes.analyze, "synthesize": nodes.synthesize}
    edges: dict[str, Edge] = {
        "search": _after_search(nodes.enough),
        "analyze": should_continue(nodes.clarify),
        "synthesize": always(END),
    }
    if nodes.planning is not None:
        found, edges = {"planning": nodes.planning, **found}, {"planning": always("search"), **edges}
    waits = {nodes.clarify: "clarification"} if nodes.clarify else {}
    back = {nodes.clarify: always(next(iter(found)))} if nodes.clarify else {}
    return Graph(name, next(iter(found)), found, {**edges, **back}, waits)


def _after_search(enough: int) -> Edge:
    """Analyze what was found, unless the best evidence is good enough or money, tokens or calls are used up."""

    def edge(state: State) -> str:
        used = state.get("spent", {})
        spent = any(used.get(name, 0) >= limit for name, limit in state.get("limits", {}).items())
        return "synthesize" if spent or int(state.get("evidence_level", 0)) >= enough else "analyze"

    return edge


def should_continue(clarify: str) -> Edge:
    """Follow the analysis, but answer once the iterations are used up; a person is asked whatever was used."""

    def edge(state: State) -> str:
        said = state.get("analysis", "")
        if said == "request_clarification" and clarify:
            return clarify
        goes_on = said == "need_more_search" and state["iteration"] < state["max_iterations"]
        return "search" if goes_on else "synthesize"

    return edge


@dataclass(frozen=True, slots=True)
class PlanExecute:
    """The nodes of plan → execute → [validate] → report, and the edge after `validate` if it has a choice."""

    plan: Node
    execute: Node
    report: Node
    validate: Node | None = None
    after_validate: Edge | None = None
    more: Mapping[str, Node] | None = None


def plan_execute(name: str, nodes: PlanExecute) -> Graph:
    """Execute a plan once, in order; `more` are nodes that `after_validate` can lead to, which end in the report."""
    found: dict[str, Node] = {"plan": nodes.plan, "execute": nodes.execute}
    edges: dict[str, Edge] = {"plan": always("execute"), "execute": always("report")}
    if nodes.validate is not None:
        found["validate"], edges["execute"] = nodes.validate, always("validate")
        edges["validate"] = nodes.after_validate or always("report")
    for one, node in (nodes.more or {}).items():
        found[one], edges[one] = node, always("report")
    return Graph(name, "plan", {**found, "report": nodes.report}, {**edges, "report": always(END)})


def composite(name: str, route: Node, choose: Callable[[State], str], graphs: Sequence[Graph]) -> Graph:
    """One entry that routes to one of several graphs over a shared state, or asks for clarification and routes again.

    Nodes are prefixed with the name of their graph (`explore.search`); a reply to any wait re-enters at the route.
    """
    nodes: dict[str, Node] = {"route": route}
    starts = {one.name: f"{one.name}.{one.start}" for one in graphs}
    edges: dict[str, Edge] = {
        "route": decision(choose, {**starts, "clarify": "clarify"}, otherwise=END),
        "clarify": always("route"),
    }
    for one in graphs:
        nodes |= {f"{one.name}.{node}": work for node, work in one.nodes.items()}
        edges |= {f"{one.name}.{node}": _within(one, edge) for node, edge in one.edges.items() if node not in one.waits}
    return Graph(name, "route", nodes, edges, {"clarify": "clarification"})


def _within(graph: Graph, edge: Edge) -> Edge:
    """An edge of a part, with prefixed node names, and with every wait replaced by the whole graph's own."""

    def longer(state: State) -> str:
        node = edge(state)
        return "clarify" if node in graph.waits else END if node == END else f"{graph.name}.{node}"

    return longer


@dataclass(frozen=True, slots=True)
class GraphRow:
    """A row of a registry: a graph's name, its purpose, and the function that builds it from a package's steps."""

    name: str
    does: str
    build: Callable[[Any], Graph]
