"""Drive a graph until it ends or waits for somebody; a wait is a result, resumed only by interrupt id.

Nodes report their progress while they work. Fan-out happens inside one node: many pieces of work, a few at a time, each
stored as soon as it is done. The pieces are not tasks of the graph: with LangGraph's own concurrency limit, checkpoint
writes queue behind the remaining tasks, and a killed process loses finished work.

Progress is kept as a checkpoint after every node, in SQLite or Postgres. Checkpoints are disposable: the history is the
source of truth, and a run that lost its checkpoint starts again from there without doing anything twice.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from pactkeeper.errors import InputError, StoreUnavailable, UsageError, how_to_install
from pactkeeper.ledger.canonical import JsonValue

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.checkpoint.serde.base import SerializerProtocol
    from langgraph.graph.state import CompiledStateGraph


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of a node: `done` of `total`, counted in `unit`."""

    node: str
    done: int
    total: int
    unit: str = "tests"


def tell(progress: Progress) -> None:
    """Report progress to whoever drives the graph; may only be called inside a node."""
    from langgraph.config import get_stream_writer  # noqa: PLC0415 - only needed to run a graph

    get_stream_writer()(progress)


State = Mapping[str, Any]
# More than any path through a graph that terminates by its own rules; reaching it means the graph is broken.
MOST_STEPS = 1_000


@dataclass(frozen=True, slots=True)
class Waiting:
    """One thing that a graph waits for: the interrupt id to answer under, and what it asks."""

    id: str
    about: JsonValue


@dataclass(frozen=True, slots=True)
class Finished:
    """The graph has ended."""

    state: State


@dataclass(frozen=True, slots=True)
class Paused:
    """The graph waits; nothing is lost when the process ends now."""

    state: State
    waits: tuple[Waiting, ...]


@dataclass(frozen=True, slots=True)
class Thread:
    """One run of a compiled graph, stored under `id` in the checkpoints; `hear` receives its nodes' progress.

    Everything traced inside it, model calls included, carries `tag`. `context` is given to every node that asks for it.
    """

    graph: CompiledStateGraph[Any, Any, Any, Any]
    id: str
    hear: Callable[[Progress], None] | None = None
    tag: str = "pactkeeper"
    context: object = None

    async def start(self, state: State) -> Finished | Paused:
        """Run from the beginning; a thread that has already begun resumes where it stopped and ignores `state`."""
        begun = await self._begun()
        return await self._run(None if begun else dict(state))

    async def answer(self, answers: Mapping[str, JsonValue]) -> Finished | Paused:
        """Resume with answers by interrupt id; raises KeyError for an id that the graph doesn't wait under."""
        from langgraph.types import Command  # noqa: PLC0415 - only needed to run a graph

        now = await self.look()
        open_ids = {one.id for one in now.waits} if isinstance(now, Paused) else set()
        unknown = sorted(answers.keys() - open_ids)
        if unknown:
            raise KeyError(f"the run {self.id} does not wait under {', '.join(unknown)}")
        return await self._run(Command(resume=dict(answers)))

    async def take_up(self, state: State, *, after: str) -> Finished | Paused:
        """Resume from a state reached elsewhere, as if the node `after` had just produced it."""
        await self.graph.aupdate_state(self._config, dict(state), as_node=after)
        return await self._run(None)

    async def look(self) -> Finished | Paused | None:
        """What the checkpoints say, without running anything; None if a node is yet to run, or none ever ran."""
        snapshot = await self.graph.aget_state(self._config)
        if snapshot.interrupts:
            return Paused(snapshot.values, tuple(Waiting(one.id, one.value) for one in snapshot.interrupts))
        # A node whose results are stored but not yet applied is no longer in `next`, but still a task.
        ended = bool(snapshot.values) and not snapshot.next and not snapshot.tasks
        return Finished(snapshot.values) if ended else None

    async def _begun(self) -> bool:
        return bool((await self.graph.aget_state(self._config)).values)

    async def _run(self, given: Any) -> Finished | Paused:  # noqa: ANN401 - LangGraph takes a state, a command or None
        now = await self.look()
        if now is not None and given is None:
            return now
        options: Any = {"context": self.context, "stream_mode": "custom", "durability": "sync"}
        async for event in self.graph.astream(given, self._config, **options):
            if self.hear is not None and isinstance(event, Progress):
                self.hear(event)
        after = await self.look()
        if after is None:
            raise RuntimeError(f"the graph of {self.id} stopped between two nodes")
        return after

    @property
    def _config(self) -> RunnableConfig:
        traced: RunnableConfig = {"run_name": self.tag, "tags": [self.tag], "metadata": {"run": self.id}}
        return {**traced, "configurable": {"thread_id": self.id}, "recursion_limit": MOST_STEPS}


Piece = TypeVar("Piece")


async def fan_out(pieces: Iterable[Piece], work: Callable[[Piece], Awaitable[None]], *, at_once: int) -> None:
    """Run `work` for every piece, at most `at_once` at a time; the first failure cancels the rest and is raised."""
    import asyncio  # noqa: PLC0415 - graphs that are walked in one process need no event loop

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


SCHEMES: Final = ("postgresql://", "postgres://", "postgresql+psycopg://")


def open_checkpoints(place: Path | str) -> AbstractAsyncContextManager[BaseCheckpointSaver[str]]:
    """Open the checkpoints in a SQLite file or a Postgres database; tables are created on first use."""
    if isinstance(place, Path):
        return _sqlite(str(place))
    if not place.startswith(SCHEMES):
        raise UsageError(f"checkpoints live in SQLite or Postgres, not behind {place.partition(':')[0]!r}")
    return _postgres(place.replace("+psycopg", "", 1))


@asynccontextmanager
async def _sqlite(path: str) -> AsyncIterator[BaseCheckpointSaver[str]]:
    import sqlite3  # noqa: PLC0415 - only needed to run a graph

    from pactkeeper.flows.whole_writes import FileSaver  # noqa: PLC0415 - likewise

    try:
        with closing(sqlite3.connect(path)) as connection:
            saver = FileSaver(connection, serde=_plain())
            saver.setup()
            yield saver
    except sqlite3.DatabaseError as error:
        raise InputError(f"the checkpoints in {path!r} cannot be used ({error}); they can be deleted") from error


@asynccontextmanager
async def _postgres(url: str) -> AsyncIterator[BaseCheckpointSaver[str]]:
    try:
        import psycopg  # noqa: PLC0415 - an extra
        from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver  # noqa: PLC0415 - likewise
    except ImportError as error:
        raise UsageError(f"a Postgres history needs its driver: {how_to_install('postgres')}") from error
    from pactkeeper.flows.whole_writes import WholeWrites  # noqa: PLC0415 - only needed to run a graph

    class Saver(WholeWrites, AsyncPostgresSaver):
        """Checkpoints in Postgres."""

    try:
        async with Saver.from_conn_string(url, serde=_plain()) as saver:
            await saver.setup()
            yield saver
    except psycopg.OperationalError as error:
        raise StoreUnavailable(f"the checkpoint database does not answer ({error}); try again when it does") from error


def _plain() -> SerializerProtocol:
    """A serializer for texts, numbers and lists of them; anything else is refused, never revived as an object."""
    from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer  # noqa: PLC0415 - only needed to run a graph

    return JsonPlusSerializer(allowed_msgpack_modules=None)
