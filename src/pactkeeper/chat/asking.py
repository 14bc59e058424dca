"""Asking: a question goes through the graph; one that waits for a choice is kept, and any process goes on with it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pactkeeper.chat.answers import answer_document
from pactkeeper.chat.graphs import AskState, ask_graph, clarification_of
from pactkeeper.chat.here import Here
from pactkeeper.chat.matching import verbs
from pactkeeper.chat.routing import command_of
from pactkeeper.errors import UsageError
from pactkeeper.flows.checkpoints import open_checkpoints
from pactkeeper.flows.driving import Finished, Paused, Thread
from pactkeeper.flows.graphs import Delta, compiled, keep_waiting, walk
from pactkeeper.flows.observing import Watching, noting
from pactkeeper.ledger.answering import Budget
from pactkeeper.ledger.canonical import digest
from pactkeeper.ledger.model import Caps, Spent, limits_of
from pactkeeper.workspace import Workspace

TAG: Final = "ask-agent"
ITERATIONS: Final = 3
PREFIX: Final = "ASK-"
LONGEST: Final = 2_000  # characters of a question


class Cancelled(Exception):
    """Somebody asked for the question to be given up."""


@dataclass(slots=True)
class Visits:
    """What surrounds every node: the trace, who watches and hears its name, and a look whether to stop."""

    watchers: Watching
    thread: str
    stop: Callable[[], bool] = lambda: False
    hear: Callable[[str], None] = lambda _: None
    trace: list[str] = field(default_factory=list)
    calls: list[dict[str, str]] = field(default_factory=list)

    async def visit(self, node: str, work: Callable[[], Awaitable[Delta]]) -> Delta:
        """Do a node's work where nobody asked to stop."""
        if self.stop():
            raise Cancelled(node)
        self.hear(node)
        with self.watchers.node(TAG, node, {"thread": self.thread}), noting() as calls:
            found = await work()
        self.trace.append(node)
        self.calls += calls
        return found


def with_model(workspace: Workspace) -> Here:
    """The repository with the model that is set up, and what may still be spent on it today.

    Raises ModelUnavailable where none is set up or it cannot be asked.
    """
    from pactkeeper.operators.models import spent_today  # noqa: PLC0415 - only who asks a model

    asker = workspace.asker(TAG)
    asker.ensure_ready(capped=False)
    limits = limits_of(asker.setup, Caps(), run=Spent(), today=spent_today(workspace))
    return Here(workspace, asker, Budget(limits))


def ask(
    here: Here, question: str, *, stop: Callable[[], bool] = lambda: False, hear: Callable[[str], None] = lambda _: None
) -> dict[str, Any]:
    """Answer a question as a document; one that may mean several things waits under its `thread`, with choices.

    `hear` gets the name of every node before it works.
    """
    question = " ".join(question.split())
    if not question or len(question) > LONGEST:
        raise UsageError(f"a question has 1 to {LONGEST:,} characters, this one {len(question):,}; ask for one thing")
    thread = PREFIX + digest([question, here.snapshot.listing_hash()])[3:11].upper()
    state = {"question": question, "arguments": {}, "verb": "", "iteration": 0, "max_iterations": ITERATIONS}
    return asyncio.run(_ask(here, state, Visits(here.workspace.watching(), thread, stop, hear)))


async def _ask(here: Here, state: dict[str, Any], visits: Visits) -> dict[str, Any]:
    graph = ask_graph(here)
    found = await walk(graph, state, visits.visit)
    if isinstance(found, Paused):
        async with open_checkpoints(_place(here.workspace)) as saver:
            kept = Thread(compiled(graph, AskState, saver, visits.visit), visits.thread, tag=TAG)
            if await kept.look() is None:
                await keep_waiting(kept, found)
    return _document(found, visits)


def reply(
    here: Here,
    thread: str,
    word: str,
    *,
    stop: Callable[[], bool] = lambda: False,
    hear: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """Go on with a question that waits, by one word; raises UsageError where none waits under this name."""
    return asyncio.run(_reply(here, word, Visits(here.workspace.watching(), thread, stop, hear)))


async def _reply(here: Here, word: str, visits: Visits) -> dict[str, Any]:
    async with open_checkpoints(_place(here.workspace)) as saver:
        kept = Thread(compiled(ask_graph(here), AskState, saver, visits.visit), visits.thread, tag=TAG)
        now = await kept.look()
        if not isinstance(now, Paused):
            raise UsageError(f"no question waits under {visits.thread!r}; ask it again with: pk ask 'QUESTION'")
        found = await kept.answer({now.waits[0].id: word})
        if isinstance(found, Finished):
            await saver.adelete_thread(visits.thread)
        return _document(found, visits)


def _document(found: Finished | Paused, visits: Visits) -> dict[str, Any]:
    if isinstance(found, Paused):
        answer = clarification_of(found.state)
        asked = answer_document(answer, question=found.state["question"], trace=visits.trace, thread=visits.thread)
        return {**asked, "calls": visits.calls}
    state: Mapping[str, Any] = found.state
    document = {**state["answer"], "trace": list(visits.trace), "calls": visits.calls, "thread": ""}
    given = {name: value for name, value in state["arguments"].items() if value}
    return {
        **document,
        "arguments": given,
        "command": document["command"] or command_of(verbs()[document["verb"]], given),
    }


def _place(workspace: Workspace) -> Path | str:
    """The checkpoints, in a folder that is there."""
    workspace.state.mkdir(parents=True, exist_ok=True)
    return workspace.checkpoints
