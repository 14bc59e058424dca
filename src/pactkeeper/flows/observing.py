"""Observability: log lines, OpenTelemetry spans and LangSmith runs, each enabled by its environment variable.

An agent and node tag themselves once; everything observed inside carries both, including model and tool calls.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, Protocol

from pactkeeper.errors import UsageError, WriteFailed, how_to_install

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

Fields = Mapping[str, str | int]
SCOPE: Final = "pactkeeper"
_TAGS: Final = ContextVar[Fields]("tags", default={})  # noqa: B039 - never mutated


_CALLS: Final = ContextVar[list[dict[str, str]] | None]("calls", default=None)
_KINDS: Final = {"chat": "model", "execute_tool": "tool"}


@contextmanager
def noting() -> Iterator[list[dict[str, str]]]:
    """Record every observed call of a model or tool inside, in order, as `agent`, `node`, `kind` and `name`."""
    calls: list[dict[str, str]] = []
    before = _CALLS.set(calls)
    try:
        yield calls
    finally:
        _CALLS.reset(before)


def _note(known: Fields) -> None:
    calls, kind = _CALLS.get(), _KINDS.get(str(known.get("gen_ai.operation.name", "")))
    if calls is not None and kind is not None:
        name = str(known.get("gen_ai.tool.name" if kind == "tool" else "gen_ai.request.model", ""))
        calls.append(
            {"agent": str(known.get("agent", "")), "node": str(known.get("node", "")), "kind": kind, "name": name}
        )


@contextmanager
def tagged(**tags: str) -> Iterator[None]:
    """Add these fields to everything observed inside, in any asyncio task or thread."""
    before = _TAGS.set({**_TAGS.get(), **tags})
    try:
        yield
    finally:
        _TAGS.reset(before)


class Watcher(Protocol):
    """Observes stretches of work."""

    def stretch(self, name: str, fields: Fields) -> AbstractContextManager[Callable[[Fields], None]]:
        """Observe the work done inside; the yielded function takes fields known only at its end."""


@dataclass(frozen=True, slots=True)
class Watching:
    """Several watchers at once; usually none."""

    watchers: tuple[Watcher, ...] = ()

    @contextmanager
    def stretch(self, name: str, fields: Fields) -> Iterator[Callable[[Fields], None]]:
        """Observe with every watcher; a field outranks a tag of the same name."""
        known = {**_TAGS.get(), **fields}
        _note(known)
        with ExitStack() as stack:
            hear = [stack.enter_context(watcher.stretch(name, known)) for watcher in self.watchers]

            def tell(known: Fields) -> None:
                for one in hear:
                    one(known)

            yield tell

    @contextmanager
    def node(self, agent: str, node: str, fields: Fields) -> Iterator[Callable[[Fields], None]]:
        """Observe a node of an agent's graph; everything observed inside carries both names."""
        with tagged(agent=agent, node=node), self.stretch(node, fields) as tell:
            yield tell

    def tool(self, name: str) -> AbstractContextManager[Callable[[Fields], None]]:
        """Observe a tool call."""
        fields = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name}
        return self.stretch(f"execute_tool {name}", fields)


@dataclass(frozen=True, slots=True)
class LogLines:
    """One JSON object per line when a stretch begins, ends or fails; `now` returns the time."""

    write: Callable[[str], object]
    now: Callable[[], str]

    @contextmanager
    def stretch(self, name: str, fields: Fields) -> Iterator[Callable[[Fields], None]]:
        """Write a line at the beginning and at the end."""
        ended: dict[str, str | int] = {}
        self._line("began", name, fields)
        try:
            yield ended.update
        except BaseException as failure:
            self._line("failed", name, {**fields, "error": type(failure).__name__})
            raise
        self._line("ended", name, {**fields, **ended})

    def _line(self, event: str, name: str, fields: Fields) -> None:
        self.write(json.dumps({"at": self.now(), "event": event, "name": name, **fields}) + "\n")


@dataclass(frozen=True, slots=True)
class Spans:
    """An OpenTelemetry span for every stretch."""

    tracer: Tracer

    @contextmanager
    def stretch(self, name: str, fields: Fields) -> Iterator[Callable[[Fields], None]]:
        """Open a span as a child of the current one."""
        with self.tracer.start_as_current_span(name, attributes=_attributes(fields)) as span:
            yield lambda known: span.set_attributes(_attributes(known))


@dataclass(frozen=True, slots=True)
class LangSmithRuns:
    """A LangSmith run per stretch, below LangGraph's run that it happens in; it contains only fields."""

    @contextmanager
    def stretch(self, name: str, fields: Fields) -> Iterator[Callable[[Fields], None]]:
        """Post a run to the server that LangSmith's own variables name."""
        from langsmith import trace  # noqa: PLC0415 - only needed if its variable is set

        kind: Literal["llm", "tool", "chain"] = _LANGSMITH_KINDS.get(fields.get("gen_ai.operation.name", ""), "chain")
        with trace(name, run_type=kind, exceptions_to_handle=(BaseException,)) as run:  # no exception messages
            run.tags = [str(fields[one]) for one in ("agent", "node") if one in fields]
            run.extra = {"metadata": dict(fields)}  # without the metadata of the surrounding run
            try:
                yield lambda known: run.add_metadata(dict(known))
            except BaseException as failure:
                run.add_metadata({"error": type(failure).__name__})
                raise


_LANGSMITH_KINDS: Final[Mapping[str | int, Literal["llm", "tool"]]] = {"chat": "llm", "execute_tool": "tool"}


def _attributes(fields: Fields) -> dict[str, str | int]:
    """Fields prefixed with our own name, except those that already follow a convention, such as `gen_ai.…`."""
    return {key if "." in key else f"{SCOPE}.{key}": value for key, value in fields.items()}


@contextmanager
def watching(*, log: Path | None, spans: bool, now: Callable[[], str], langsmith: bool = False) -> Iterator[Watching]:
    """Open the watchers asked for: lines appended to a file, spans and runs sent where their variables say.

    LangGraph reports its own runs to LangSmith; `langsmith` adds what is observed inside or outside them.
    """
    with ExitStack() as stack:
        watchers: list[Watcher] = []
        if log is not None:
            watchers.append(LogLines(stack.enter_context(_appending(log)), now))
        if spans:
            watchers.append(Spans(_tracer()))
        if langsmith:
            watchers.append(LangSmithRuns())
        yield Watching(tuple(watchers))


@contextmanager
def _appending(place: Path) -> Iterator[Callable[[str], object]]:
    try:
        stream = place.open("a", encoding="utf-8", buffering=1)
    except OSError as error:
        raise WriteFailed(f"the log {str(place)!r} cannot be written: {error.strerror}; set PACTKEEPER_LOG") from error
    with stream:
        yield stream.write


@cache
def _tracer() -> Tracer:
    """The process's tracer, which leaves the global tracer alone; pending spans are sent when the process exits."""
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415 - an extra
        from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415 - likewise
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415 - likewise
    except ImportError as error:
        raise UsageError(f"OpenTelemetry spans need its packages: {how_to_install('otel')}") from error
    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider.get_tracer(SCOPE)


def open_span() -> str:
    """The current span as a W3C `traceparent`; empty if there is none or OpenTelemetry is not installed."""
    carrier: dict[str, str] = {}
    with suppress(ModuleNotFoundError):  # opening a span reports what is missing
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator  # noqa: PLC0415 - an extra

        TraceContextTextMapPropagator().inject(carrier)
    return carrier.get("traceparent", "")
