"""Drives a run through its graph: from the start, after a crash, or on with a person's reply."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter
from typing import Final, Literal

from pactkeeper.errors import PactkeeperError, StoreUnavailable
from pactkeeper.flows.driving import Paused, Progress, Thread, open_checkpoints
from pactkeeper.flows.observing import Watching, tagged, watching
from pactkeeper.ledger.canonical import JsonValue, RunStatus, TraceEvent
from pactkeeper.reconcile.flow import Work, build, first_state
from pactkeeper.reconcile.journal import remind_of_review
from pactkeeper.reconcile.looking import content_of
from pactkeeper.reconcile.steps import Steps
from pactkeeper.store.owner import here
from pactkeeper.store.runs import add_event, cancel_requested, trace_of

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
    """How to run: where checkpoints are, who receives progress, and a callback around each node's work.

    `log` is a file for structured log lines; `spans` exports OpenTelemetry spans.
    """

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
