"""The graph of a thread, as seed 004 draws it; the steps do the work.

    take → extract → validate → decide → ask | preview | gaps | create | stale | rest → say → wait (interrupt) → take

The state holds only a name and counts. `wait` does nothing but interrupt, and resuming it begins a new run, whose steps
are counted from one. A run that would take too many steps goes to `halt`.

Events on which a step fails are retried once, one at a time, and then set aside with a note in their thread.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, Protocol, TypedDict, TypeVar

from pactkeeper.errors import (
    BusyError,
    CatalogError,
    MissingExtra,
    SettingsError,
    SourceError,
    UnfinishedError,
    WriteFailed,
)
from pactkeeper.flows.graphs import Edge, awaited, within_budget
from pactkeeper.intent.thread_event import Outcome, Post, ThreadEvent, ThreadStep
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.store.thread_posts import give_back, put_post, set_aside, taken_events
from pactkeeper.store.threads import FAILED, add_step, failures, save_state, thread_state
from pactkeeper.tickets.ground import ThreadGround
from pactkeeper.tickets.steps import Done, ThreadSteps

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.graph.state import CompiledStateGraph


MOST_STEPS: Final = 10
# The node for each outcome.
ENDS: Final[Mapping[Outcome, str]] = {
    "ask": "ask",
    "preview": "preview",
    "gaps": "gaps",
    "created": "create",
    "stale": "stale",
    "none": "rest",
    "halted": "halt",
}
Visit = Callable[[str, Callable[[], Done]], Done]


class ThreadRunState(TypedDict, total=False):
    """The thread, the number of steps taken in this run, and the outcome of the last one."""

    thread: str
    steps: int
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class ThreadWork:
    """The context of a run: the steps of its thread, and `visit`, which runs a node's work and records it."""

    steps: ThreadSteps
    visit: Visit


class ThreadGiven(Protocol):
    """What LangGraph hands to a node as its `runtime`."""

    @property
    def context(self) -> ThreadWork:
        """The context of the run."""


def build(checkpoints: BaseCheckpointSaver[str]) -> CompiledStateGraph[Any, Any, Any, Any]:
    """Return the graph with these checkpoints; a run needs its `Work` as context."""
    return _graph().copy({"checkpointer": checkpoints})


@cache
def _graph() -> CompiledStateGraph[Any, Any, Any, Any]:
    """Build the graph once per process: that takes longer than a step."""
    from langgraph.graph import START, StateGraph  # noqa: PLC0415 - imports take half a second that only a run needs

    graph = StateGraph(ThreadRunState, context_schema=ThreadWork)
    for name in ("take", "extract", "consult", "validate", "decide", *ENDS.values(), "say"):
        graph.add_node(name, _node(name))
    graph.add_node("wait", _wait)
    graph.add_edge(START, "take")
    graph.add_edge("take", "extract")
    after_reading = ["consult", "validate", "halt"]
    graph.add_conditional_edges("extract", _after_reading, after_reading)
    graph.add_conditional_edges("consult", _after_reading, after_reading)
    graph.add_conditional_edges("validate", awaited(_within(lambda _: "decide")), ["decide", "halt"])
    graph.add_conditional_edges("decide", awaited(_within(lambda state: ENDS[state["outcome"]])), [*ENDS.values()])
    for name in ENDS.values():
        graph.add_edge(name, "say")
    graph.add_edge("say", "wait")
    graph.add_edge("wait", "take")
    return graph.compile()


async def _after_reading(state: ThreadRunState, runtime: ThreadGiven) -> str:
    """Ask the model once per run about unplaced words; asking again would give the same answer."""
    steps = runtime.context.steps
    return _within(lambda _: "consult" if steps.unplaced and not steps.consulted else "validate")(state)


def _within(go_on: Edge) -> Edge:
    """Limit a run's steps, reserving two for saying how it ended."""
    return within_budget(itemgetter("steps"), lambda _: MOST_STEPS - 2, go_on=go_on, stop=ENDS["halted"])


def _node(name: str) -> Any:  # noqa: ANN401 - LangGraph's nodes share no type
    """Make a node that runs one step, counts it, and passes on its outcome."""

    async def node(state: ThreadRunState, runtime: ThreadGiven) -> ThreadRunState:
        done = runtime.context.visit(name, getattr(runtime.context.steps, name))
        before = 0 if name == "take" else state.get("steps", 0)
        return {"thread": state["thread"], "steps": before + 1, "outcome": done.outcome}

    return node


async def _wait(state: ThreadRunState) -> ThreadRunState:
    """Wait for the next event."""
    from langgraph.types import interrupt  # noqa: PLC0415 - only where a graph runs

    interrupt({"thread": state["thread"], "outcome": state.get("outcome", "none")})
    return {"steps": 0}


TRIES: Final = 2
# Errors that no event causes: those in _AMISS people must fix, and the thread shows them while it waits; those in
# _PASSING go away by themselves, such as an unavailable disk, database, board or model, or another process at work.
_AMISS: Final = (SettingsError, CatalogError, MissingExtra)
_PASSING: Final = (SourceError, BusyError, WriteFailed, UnfinishedError, OSError)
_SHOWN: Final = 200

Result = TypeVar("Result")


class Unprocessed(Exception):
    """A step failed on its run's events; the failure is recorded, and they are retried or set aside."""


def attempted(ground: ThreadGround, thread: str, node: str, work: Callable[[], Result]) -> Result:
    """Do a node's work; raise Unprocessed if it fails on the events its run has taken."""
    try:
        return work()
    except _PASSING:
        raise
    except _AMISS as error:
        save_state(ground.history, thread, replace(thread_state(ground.history, thread), reason=f"waits: {error}"))
        raise
    except Exception as error:  # a message that no step can take is named, so that the thread goes on without it
        events = taken_events(ground.history, thread)
        if not events:
            raise
        _blame(ground, thread, events, f"{node}: {_said(error)}")
        raise Unprocessed from error


def _blame(ground: ThreadGround, thread: str, events: Sequence[ThreadEvent], reason: str) -> None:
    history = ground.history
    state = thread_state(history, thread)
    run, names = state.concluded + 1, list[JsonValue](one.id for one in events)
    with history.database.begin():
        add_step(history, thread, ThreadStep(run, FAILED, ground.at(), 0, reason, {"failed": names}))
        failed = failures(history, thread)
        if all(failed[one.id] >= TRIES for one in events):
            set_aside(history, thread)
            save_state(history, thread, replace(state, read=state.concluded))
            put_post(history, _told(thread, run, events, reason), at=ground.at())
        elif state.read < run:  # the draft has nothing of them yet, so each may be retried alone
            give_back(history, thread)


def _told(thread: str, run: int, events: Sequence[ThreadEvent], reason: str) -> Post:
    whose = ", ".join(dict.fromkeys(one.author for one in events))
    text = (
        f"What {whose} said could not be read, twice ({reason}). It is skipped and the thread continues without "
        "it; please reword it."
    )
    return Post(f"{thread}.{run}.aside.{events[0].id}", thread, "note", text)


def _said(error: Exception) -> str:
    """An error in one line, with the function and line that raised it."""
    (frame,) = traceback.extract_tb(error.__traceback__)[-1:] or (None,)
    where = "" if frame is None else f" at {frame.name}:{frame.lineno}"
    words = " ".join(str(error).split())[:_SHOWN]
    return f"{type(error).__name__}{where}: {words}"
