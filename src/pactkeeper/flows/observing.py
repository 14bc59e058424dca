"""Who watches a run from outside: structured log lines, and OpenTelemetry spans where their endpoint is set.

LangSmith watches LangGraph by itself where its own variables are set, and nothing here turns it on.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from pactkeeper.errors import UsageError, WriteFailed, how_to_install

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

Fields = Mapping[str, str | int]
SCOPE: Final = "pactkeeper"


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
        """Let every watcher watch."""
        with ExitStack() as stack:
            hear = [stack.enter_context(watcher.stretch(name, fields)) for watcher in self.watchers]

            def tell(known: Fields) -> None:
                for one in hear:
                    one(known)

            yield tell


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


def _attributes(fields: Fields) -> dict[str, str | int]:
    """Fields under our own name, but for those that carry the name of a convention already, such as `gen_ai.…`."""
    return {key if "." in key else f"{SCOPE}.{key}": value for key, value in fields.items()}


@contextmanager
def watching(*, log: Path | None, spans: bool, now: Callable[[], str]) -> Iterator[Watching]:
    """Open the watchers that are wanted: lines appended to a file, spans sent where OpenTelemetry's variables say."""
    with ExitStack() as stack:
        watchers: list[Watcher] = []
        if log is not None:
            watchers.append(LogLines(stack.enter_context(_appending(log)), now))
        if spans:
            watchers.append(Spans(stack.enter_context(_tracer())))
        yield Watching(tuple(watchers))


@contextmanager
def _appending(place: Path) -> Iterator[Callable[[str], object]]:
    try:
        stream = place.open("a", encoding="utf-8", buffering=1)
    except OSError as error:
        raise WriteFailed(f"the log {str(place)!r} cannot be written: {error.strerror}; set PACTKEEPER_LOG") from error
    with stream:
        yield stream.write


@contextmanager
def _tracer() -> Iterator[Tracer]:
    """A tracer of its own, so that nothing of the surrounding program is changed; spans are sent before it closes."""
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
    try:
        yield provider.get_tracer(SCOPE)
    finally:
        provider.shutdown()
