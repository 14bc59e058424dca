"""Who watches from outside: structured log lines, OpenTelemetry spans, LangSmith runs, each where its variable is set.

Whoever works says once which agent and node it is; all that is watched inside carries both, model and tool calls too.
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
_TAGS: Final = ContextVar[Fields]("tags", default={})  # noqa: B039 - nobody writes to it


_CALLS: Final = ContextVar[list[dict[str, str]] | None]("calls", default=None)
_KINDS: Final = {"chat": "model", "execute_tool": "tool"}


@contextmanager
def noting() -> Iterator[list[dict[str, str]]]:
    """Note every call of a model or tool that is watched inside: `agent`, `node`, `kind` and `name`, in their order."""
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
    """Have all that is watched inside carry these fields, whatever task or thread of asyncio it is watched in."""
    before = _TAGS.set({**_TAGS.get(), **tags})
    try:
        yield
    finally:
        _TAGS.reset(before)


class Watcher(Protocol):
    """Watches stretches of work."""

    def stretch(self, name: str, fields: Fields) -> AbstractContextManager[Callable[[Fields], None]]:
        """Watch what is done inside; the function takes what is known only at its end."""


@dataclass(frozen=True, slots=True)
class Watching:
    """Several watchers at once; none of them is the usual case."""

    watchers: tuple[Watcher, ...] = ()

    @contextmanager
    def stretch(self, name: str, fields: Fields) -> Iterator[Callable[[Fields], None]]:
        """Let every watcher watch; where a field and a tag have one name, the field counts."""
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
        """Watch a node of an agent's graph; what is watched inside carries both names."""
        with tagged(agent=agent, node=node), self.stretch(node, fields) as tell:
            yield tell

    def tool(self, name: str) -> AbstractContextManager[Callable[[Fields], None]]:
        """Watch a call of a tool."""
        fields = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name}
        return self.stretch(f"execute_tool {name}", fields)


@dataclass(frozen=True, slots=True)
class LogLines:
    """One JSON object a line, when a stretch begins, ends or fails; `now` gives the time."""

    write: Callable[[str], object]
    now: Callable[[], str]

    @contextmanager
    def stretch(self, name: str, fields: Fields) -> Iterator[Callable[[Fields], None]]:
        """Write a line at both ends."""
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
        """Open a span below the one that is open."""
        with self.tracer.start_as_current_span(name, attributes=_attributes(fields)) as span:
            yield lambda known: span.set_attributes(_attributes(known))


@dataclass(frozen=True, slots=True)
class LangSmithRuns:
    """A run of LangSmith for every stretch, below the one of LangGraph that it happens in; it holds fields alone."""

    @contextmanager
    def stretch(self, name: str, fields: Fields) -> Iterator[Callable[[Fields], None]]:
        """Post a run; LangSmith's own variables say where to."""
        from langsmith import trace  # noqa: PLC0415 - only where its variable is set

        kind: Literal["llm", "tool", "chain"] = _LANGSMITH_KINDS.get(fields.get("gen_ai.operation.name", ""), "chain")
        with trace(name, run_type=kind, exceptions_to_handle=(BaseException,)) as run:  # their texts stay here
            run.tags = [str(fields[one]) for one in ("agent", "node") if one in fields]
            run.extra = {"metadata": dict(fields)}  # and nothing of the run around it
            try:
                yield lambda known: run.add_metadata(dict(known))
            except BaseException as failure:
                run.add_metadata({"error": type(failure).__name__})
                raise


_LANGSMITH_KINDS: Final[Mapping[str | int, Literal["llm", "tool"]]] = {"chat": "llm", "execute_tool": "tool"}


def _attributes(fields: Fields) -> dict[str, str | int]:
    """Fields under our own name, but for those that carry the name of a convention already, such as `gen_ai.…`."""
    return {key if "." in key else f"{SCOPE}.{key}": value for key, value in fields.items()}


@contextmanager
def watching(*, log: Path | None, spans: bool, now: Callable[[], str], langsmith: bool = False) -> Iterator[Watching]:
    """Open the watchers that are wanted: lines appended to a file, spans and runs sent where their variables say.

    What LangGraph runs it tells LangSmith by itself; `langsmith` is for what is watched in it or without it.
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
    """The process's tracer, which changes nothing of the surrounding program; what is left is sent at its end."""
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import (  # noqa: PLC0415 - an extra
            OTLPSpanExporter,
        )
        from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415 - likewise
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415 - likewise
    except ImportError as error:
        raise UsageError(f"OpenTelemetry spans need its packages: {how_to_install('otel')}") from error
    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider.get_tracer(SCOPE)


def open_span() -> str:
    """The span that is open here, as a W3C `traceparent`; empty where none is, or nothing that could open one."""
    carrier: dict[str, str] = {}
    with suppress(ModuleNotFoundError):  # whoever opens a span says what is missing
        from opentelemetry.trace.propagation.tracecontext import (  # noqa: PLC0415 - an extra
            TraceContextTextMapPropagator,
        )

        TraceContextTextMapPropagator().inject(carrier)
    return carrier.get("traceparent", "")
