"""The reconciliation graph: the order of steps, as drawn in seed 000 §5 to §7; the steps do the work.

  structure → discover_fullscan | discover_delta → context → infer_atoms → synthesize_molecules → verify
  context → structure (files changed while being read);  verify → infer_atoms (poor wording may improve)
  verify → review (interrupt) | persist;  review → infer_atoms (a new answer) | persist;  persist → review | END

The state holds ids and counts. If the process died within a node, the node is rerun from its start and asks the store
what is already done. `review` consists of the interrupt only.

`Drive` takes a run through the graph: from the start, after a crash, or on with a person's reply.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cache
from operator import add
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, Protocol, TypedDict, cast

from pactkeeper.errors import PactkeeperError, StoreUnavailable
from pactkeeper.flows.driving import Paused, Progress, Thread, open_checkpoints, tell
from pactkeeper.flows.graphs import awaited, quality_gate, within_budget
from pactkeeper.flows.observing import Watching, tagged, watching
from pactkeeper.ledger.answering import Budget, BudgetLimits, Exceeded, Standstill, step
from pactkeeper.ledger.canonical import JsonValue, RunStatus, TraceEvent
from pactkeeper.reconcile.journal import remind_of_review
from pactkeeper.reconcile.looking import content_of
from pactkeeper.reconcile.steps import Steps
from pactkeeper.store.owner import here
from pactkeeper.store.runs import add_event, cancel_requested, trace_of

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.graph.state import CompiledStateGraph

Counts = Mapping[str, int]
Visit = Callable[[str, Callable[[], Awaitable[Counts]]], Awaitable[Counts]]

MOST_LOOKS: Final = 4  # at files that change while being read
PAUSE: Final = 0.05  # seconds before the second look, doubled each time


class ReconciliationState(TypedDict, total=False):
    """The fields of seed 000 §6; where the seed holds bulk data, this holds the number of stored rows."""

    run: str
    root_directory: str
    input: dict[str, JsonValue]
    repo_structure: int
    orphan_tests: int
    context_per_test: int
    looks: int
    unread: int
    inferred_atoms: int
    inferred_molecules: int
    current_phase: str
    iteration: int
    max_iterations: int
    decisions: Annotated[list[str], add]
    pending_human_review: bool
    new_answers: int
    proposed: str
    retry: int
    word: dict[str, JsonValue]
    output: dict[str, JsonValue]


def first_state(steps: Steps) -> ReconciliationState:
    """Return the initial state of a run."""
    run, request = steps.run, steps.request
    begun = ReconciliationState(run=run.id, root_directory=run.root, input=request.options, iteration=0)
    return {**begun, "max_iterations": request.max_iterations, "decisions": []}


@dataclass(frozen=True, slots=True)
class Work:
    """The context of a run: its steps, and `visit`, which runs and measures a node's work unless it was cancelled."""

    steps: Steps
    visit: Visit


def build(checkpoints: BaseCheckpointSaver[str]) -> CompiledStateGraph[Any, Any, Any, Any]:
    """Return the graph with these checkpoints; a run needs its `Work` as context."""
    return _graph().copy({"checkpointer": checkpoints})


_DISCOVER: Final = {True: "discover_fullscan", False: "discover_delta"}


@cache
def _graph() -> CompiledStateGraph[Any, Any, Any, Any]:
    """Build the graph once per process."""
    from langgraph.graph import END, START, StateGraph  # noqa: PLC0415 - half a second that only a run pays

    graph = StateGraph(ReconciliationState, context_schema=Work)
    for name in _NODES:
        graph.add_node(name, _node(name))
    graph.add_edge(START, "structure")
    graph.add_conditional_edges("structure", _after_structure, list(_DISCOVER.values()))
    for name in _DISCOVER.values():
        graph.add_edge(name, "context")
    graph.add_conditional_edges("context", awaited(_after_context), ["structure", "infer_atoms"])
    graph.add_edge("infer_atoms", "synthesize_molecules")
    graph.add_edge("synthesize_molecules", "verify")
    graph.add_conditional_edges("verify", awaited(_after_verify), ["infer_atoms", "review", "persist"])
    graph.add_conditional_edges("review", awaited(_after_review()), ["infer_atoms", "persist"])
    graph.add_conditional_edges("persist", awaited(_after_persist), ["review", END])
    return graph.compile()


class Given(Protocol):
    """What LangGraph hands to a node as its `runtime`."""

    @property
    def context(self) -> Work:
        """The context of the run."""


def _node(name: str) -> Any:  # noqa: ANN401 - LangGraph's nodes share no type
    async def node(state: ReconciliationState, runtime: Given) -> dict[str, Any]:
        found: dict[str, Any] = await getattr(_Nodes(runtime.context), name)(state)
        return found

    return node


async def _after_structure(_: ReconciliationState, runtime: Given) -> str:
    return _DISCOVER[runtime.context.steps.request.full]


def _after_context(state: Mapping[str, Any]) -> str:
    return "structure" if state["unread"] else "infer_atoms"


def _after_verify(state: Mapping[str, Any]) -> str:
    """Route back to wording only if poor wording may still improve; otherwise continue with it, marked."""
    if state["retry"]:
        return "infer_atoms"
    return "review" if state["pending_human_review"] else "persist"


def _after_review() -> Callable[[Mapping[str, Any]], str]:
    """Route back to wording only if a new answer changes the input, and only while the budget lasts."""
    gate = quality_gate(lambda state: -state["new_answers"], 0, passed="persist", failed="infer_atoms")
    return within_budget(
        lambda state: cast("int", state["iteration"]),
        lambda state: cast("int", state["max_iterations"]),
        go_on=gate,
        stop="persist",
    )


def _after_persist(state: Mapping[str, Any]) -> str:
    return "review" if state["pending_human_review"] else "__end__"


_NODES: Final = (
    "structure",
    *_DISCOVER.values(),
    "context",
    "infer_atoms",
    "synthesize_molecules",
    "verify",
    "review",
    "persist",
)


class _Nodes:
    """A method for each node: unpack the state, make one call, return the changes."""

    def __init__(self, work: Work) -> None:
        self._steps = work.steps
        self._visit = work.visit

    async def structure(self, _: ReconciliationState) -> dict[str, Any]:
        counts = await self._visit("structure", _later(self._steps.structure))
        return {"current_phase": "structure", "repo_structure": counts["files"]}

    async def discover(self, _: ReconciliationState) -> dict[str, Any]:
        counts = await self._visit("discover", _later(self._steps.discover))
        return {"current_phase": "discover", "orphan_tests": counts["infer"]}

    discover_fullscan = discover_delta = discover

    async def context(self, state: ReconciliationState) -> dict[str, Any]:
        looks = state.get("looks", 0) + 1
        counts = await self._visit("context", _later(lambda: self._steps.context(last=looks == MOST_LOOKS)))
        if counts["unread"]:
            await asyncio.sleep(PAUSE * 2**looks)
        return {
            "current_phase": "context",
            "context_per_test": counts["tests"],
            "looks": looks,
            "unread": counts["unread"],
            "decisions": ["need_more_context" if counts["unread"] else "ready_to_infer"],
        }

    async def infer_atoms(self, state: ReconciliationState) -> dict[str, Any]:
        again = bool(state.get("retry"))

        def heard(done: int, total: int) -> None:
            tell(Progress("infer_atoms", done, total))

        counts = await self._visit("infer_atoms", lambda: self._steps.infer(heard, again=again))
        return {
            "current_phase": "infer",
            "inferred_atoms": counts["worded"],
            "iteration": state["iteration"] + 1,
            "new_answers": 0,
        }

    async def synthesize_molecules(self, _: ReconciliationState) -> dict[str, Any]:
        counts = await self._visit("synthesize_molecules", self._steps.synthesize)
        return {"current_phase": "synthesize", "inferred_molecules": counts["molecules"]}

    async def verify(self, state: ReconciliationState) -> dict[str, Any]:
        counts = await self._visit("verify", _later(lambda: self._steps.verify(cast("dict[str, JsonValue]", state))))
        retry, decisions = _judged(state, counts, proposed=self._steps.proposed)
        return {
            "proposed": self._steps.proposed,
            "retry": retry,
            "decisions": decisions,
            "current_phase": "verify",
            "pending_human_review": bool(counts["ops"]) and not counts["unasked"],
            "word": {},
            "output": {"patch": self._steps.run.patch, "summary": dict(counts)},
        }

    @staticmethod
    async def review(state: ReconciliationState) -> dict[str, Any]:
        from langgraph.types import interrupt  # noqa: PLC0415 - only where a graph runs

        word = interrupt({"run": state["run"], "patch": state["output"]["patch"]})
        return {
            "current_phase": "review",
            "word": word,
            "new_answers": word.get("answers", 0),
            "decisions": [("answered" if word.get("answers") else "decided")],
        }

    async def persist(self, state: ReconciliationState) -> dict[str, Any]:
        counts = await self._visit("persist", _later(lambda: self._steps.persist(state.get("word", {}))))
        return {
            "current_phase": "persist",
            "pending_human_review": bool(counts["open"] or counts["refused"]),
            "output": {**state["output"], "summary": dict(counts)},
        }


def _judged(state: ReconciliationState, counts: Counts, *, proposed: str) -> tuple[int, list[str]]:
    """Return how many poor wordings justify another round, and the decisions; 0 if the last round changed nothing."""
    decided = ["quality_fail" if counts["below_quality"] else "approved"]
    if not counts["retry"]:
        return 0, decided
    budget = Budget(BudgetLimits(steps=state["max_iterations"]), {"steps": state["iteration"]})
    match step(budget, before=state.get("proposed", ""), after=proposed):
        case Standstill():
            return 0, [*decided, "no_progress"]
        case Exceeded():
            return 0, [*decided, "out_of_steps"]
        case _:
            return counts["retry"], decided


def _later(work: Callable[[], Counts]) -> Callable[[], Awaitable[Counts]]:
    """Wrap a step as awaitable; steps that only compute and read run in the graph's thread."""

    async def run() -> Counts:
        return work()

    return run


Moment = Literal["before", "after"]
AGENT: Final = "reconciliation-agent"
# Nodes whose results apply to one content of the repository; later nodes examine it anew anyway.
_BOUND_TO_CONTENT: Final = frozenset(
    {"structure", "discover", "context", "infer_atoms", "synthesize_molecules", "verify"}
)


class _Cancelled(Exception):
    """Somebody requested that the run stop."""


@dataclass(frozen=True, slots=True)
class Drive:
    """How to run: where checkpoints and the `log` are, who hears progress, and a callback around each node's work."""

    checkpoints: Path | str
    hear: Callable[[Progress], None] | None = None
    log: Path | None = None
    spans: bool = False
    around: Callable[[Moment, str], None] = field(default=lambda _moment, _node: None)

    def go(self, steps: Steps, word: Mapping[str, JsonValue] | None = None) -> None:
        """Run until the run ends or pauses for a person; with `word`, resume from the pause.

        The run's final status is stored here and nowhere else. Raises what a step raises; the run has then failed, and
        can be resumed.
        """
        steps.keep(replace(steps.run, status="running", owner=here(), error=""))
        try:
            with steps.closing, self._watched(steps) as watching:
                paused = asyncio.run(self._through(steps, word, watching))
        except _Cancelled:
            _finish(steps, "cancelled")
        except PactkeeperError as reason:
            with suppress(StoreUnavailable):  # the original error matters more
                _finish(steps, "failed", str(reason))
            raise
        else:
            _finish(steps, "paused" if paused else "completed")

    @contextmanager
    def _watched(self, steps: Steps) -> Iterator[Watching]:
        """Open the configured observers and let them follow the whole run."""
        run = steps.run
        with (
            watching(log=self.log, spans=self.spans, now=lambda: steps.ground.now().isoformat()) as watchers,
            tagged(agent=AGENT),
            watchers.stretch("reconcile", {"run": run.id, "repository": run.repository, "mode": run.mode}),
        ):
            yield watchers

    async def _through(self, steps: Steps, word: Mapping[str, JsonValue] | None, watchers: Watching) -> bool:
        async with open_checkpoints(self.checkpoints) as saver:
            if _outdated(steps):
                await saver.adelete_thread(steps.run.id)
            visits = _Visits(steps, self.around, watchers)
            steps.stop_if_cancelled = visits.stop_if_cancelled
            thread = Thread(build(saver), steps.run.id, self.hear, AGENT, Work(steps, visits.visit))
            now = await thread.start(dict(first_state(steps)))
            if word is not None and isinstance(now, Paused):
                now = await thread.answer({now.waits[0].id: dict(word)})
            if not isinstance(now, Paused):
                await saver.adelete_thread(steps.run.id)
            return isinstance(now, Paused)


def _outdated(steps: Steps) -> bool:
    """Whether the run was interrupted while examining content that has changed since."""
    if steps.run.phase not in _BOUND_TO_CONTENT or not steps.run.base:
        return False
    return content_of(steps.looked.snapshot) != steps.run.base


def _finish(steps: Steps, status: RunStatus, error: str = "") -> None:
    ended = "" if status == "paused" else steps.ground.now().isoformat(timespec="milliseconds")
    phase = "review" if status == "paused" else steps.run.phase
    steps.keep(replace(steps.run, status=status, phase=phase, error=error, completed_at=ended))
    if status == "paused":
        remind_of_review(steps.history, steps.run, now=steps.ground.now())


@dataclass(slots=True)
class _Visits:
    """What surrounds every node's work: the trace, the run's phase, and a check for cancellation."""

    steps: Steps
    around: Callable[[Moment, str], None]
    watchers: Watching
    _next: int = -1

    async def visit(self, node: str, work: Callable[[], Awaitable[Mapping[str, int]]]) -> Mapping[str, int]:
        self.steps.ensure_alone()
        self.stop_if_cancelled()
        self.steps.keep(replace(self.steps.run, phase=node))
        self.around("before", node)
        start = perf_counter()
        with self.watchers.node(AGENT, node, {"run": self.steps.run.id}) as ended:
            counts = await work()
            ended(counts)
        self._trace(node, round((perf_counter() - start) * 1000), counts)
        self.around("after", node)
        return counts

    def stop_if_cancelled(self) -> None:
        if cancel_requested(self.steps.history, self.steps.run.id):
            raise _Cancelled

    def _trace(self, node: str, milliseconds: int, counts: Mapping[str, int]) -> None:
        run = self.steps.run.id
        if self._next < 0:
            self._next = len(trace_of(self.steps.history, run))
        at = self.steps.ground.now().isoformat(timespec="milliseconds")
        add_event(self.steps.history, TraceEvent(run, self._next, node, at, milliseconds, counts))
        self._next += 1
