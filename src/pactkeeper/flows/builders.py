"""Builders for the three kinds of graph about questions, assembled from the nodes a package supplies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pactkeeper.flows.driving import State
from pactkeeper.flows.graphs import (
    END,
    Edge,
    Graph,
    Node,
    always,
    decision,
    evidence_threshold,
    within_budget,
    within_spending,
)

ANALYSES: Final = ("need_more_search", "ready_to_answer", "request_clarification", "max_iterations_reached")


@dataclass(frozen=True, slots=True)
class React:
    """The nodes of planning → search ↔ analyze → synthesize; without `planning`, that step is skipped.

    `analyze` stores one of `ANALYSES` under `analysis`. `search` counts its runs under `iteration`, up to
    `max_iterations`, and stores the level of its best evidence under `evidence_level`; once that reaches `enough`,
    analysis is skipped.
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
        "search": evidence_threshold(_level, nodes.enough, answer="synthesize", go_on=_affordable("analyze")),
        "analyze": should_continue(ways=_ways(nodes.clarify), stop="synthesize"),
        "synthesize": always(END),
    }
    if nodes.planning is not None:
        found, edges = {"planning": nodes.planning, **found}, {"planning": always("search"), **edges}
    waits = {nodes.clarify: "clarification"} if nodes.clarify else {}
    back = {nodes.clarify: always(next(iter(found)))} if nodes.clarify else {}
    return Graph(name, next(iter(found)), found, {**edges, **back}, waits)


def should_continue(*, ways: Mapping[str, str], stop: str) -> Edge:
    """Follow the analysis, but go to `stop` once the iterations or the budget are used up."""
    say = decision(lambda state: str(state.get("analysis", "")), ways, otherwise=stop)
    steps = within_budget(lambda state: state["iteration"], lambda state: state["max_iterations"], go_on=say, stop=stop)
    return lambda state: say(state) if state.get("analysis") == "request_clarification" else steps(state)


def _level(state: State) -> int:
    return int(state.get("evidence_level", 0))


def _affordable(node: str) -> Edge:
    return within_spending("spent", "limits", go_on=always(node), stop="synthesize")


def _ways(clarify: str) -> dict[str, str]:
    ways = dict.fromkeys(ANALYSES, "synthesize") | {"need_more_search": "search"}
    return ways | ({"request_clarification": clarify} if clarify else {})


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
