"""A worker: takes jobs from the queue, runs each in a separate process, and takes over the jobs of dead workers.

A worker has a new id for each life. If it was silent for too long (stopped, cut off, a sleeping laptop), others already
own its jobs by the time it notices; it then kills what it still runs and begins a new life under a new id. Late writes
by a process of the old life are refused by the fence, not here.
"""

from __future__ import annotations

import os
import socket
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from dbos import DBOS, DBOSPortableJSONSerializer
from prometheus_client import CollectorRegistry, Counter, Histogram, start_http_server
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from pactkeeper.errors import BusyError, HandedOver, PactkeeperError, StoreUnavailable, UsageError
from pactkeeper.jobs.job import Job, Running, bury_temporary, kind_of, started
from pactkeeper.jobs.queue import APPLICATION, DUE, MOST_HANDOVERS, PROTOCOL, QUEUE, WORKFLOW, Queue, job_due, plain_url
from pactkeeper.store.database import Database
from pactkeeper.store.health import receipt_of
from pactkeeper.store.owner import WATCHED
from pactkeeper.store.workers import Orphan, beat, hand_over, owner_token, register, take_turn, tell_state

Ending = Literal["told to", "silent", "newer"]
_AWAY: Final = (StoreUnavailable, BusyError)
_PAUSE: Final = 0.2
_BACKOFF: Final = 2.0


@dataclass(frozen=True, slots=True)
class Manner:
    """How a worker works: after `silence` seconds others take its jobs; a stop waits `drain` seconds for them.

    `folder` provides the folder a job runs in while it runs; `tell` takes log lines for the operator, `count` a job's
    kind, its outcome and its duration in seconds.
    """

    silence: float
    drain: float
    folder: Callable[[Job], AbstractContextManager[Path]]
    version: str
    tell: Callable[[str], None]
    count: Callable[[str, str, float], None] = lambda _kind, _outcome, _seconds: None


class JobFailed(PactkeeperError):
    """The command of a job ended with an error; the message is what it printed."""


@dataclass(slots=True)
class _Life:
    """The state of one life of a worker; `owned` is the token of every job it owned at `heard`.

    `busy` are the jobs that a thread is running; `idle` maps tokens of owned jobs that no thread is running to when
    that was first seen.
    """

    database: Database
    queue: Queue
    manner: Manner
    id: str = field(default_factory=lambda: f"{socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex[:8]}")
    owned: Mapping[str, str] = field(default_factory=dict)
    heard: float = 0.0
    outages: int = 0
    away: bool = False
    over: threading.Event = field(default_factory=threading.Event)
    running: dict[str, tuple[float, str, Running]] = field(default_factory=dict)
    busy: set[str] = field(default_factory=set)
    idle: Mapping[str, float] = field(default_factory=dict)

    # What follows runs in the threads of jobs.

    def perform(self, name: str, job: Job) -> dict[str, Any]:
        """Run a job to its end; work it already stored is not repeated."""
        began, outcome = time.monotonic(), "failed"
        self.busy.add(name)
        try:
            found = self._until_done(name, job)
            outcome = "done"
        except HandedOver:
            outcome = "handed over"
            raise
        finally:
            self.busy.discard(name)
            seconds = time.monotonic() - began
            self.manner.count(job.kind, outcome, seconds)
            self.manner.tell(f"{name} {job.place}: {outcome} after {seconds:.1f} s")
        return found

    def _until_done(self, name: str, job: Job) -> dict[str, Any]:
        failures = 0
        while True:
            token = self._owner(name)
            known = self._patiently(lambda: receipt_of(self.database, name))
            if known is not None:
                return {"receipt": True, **known}
            self._refuse_lost(name, token)
            if not self._has_turn(name, job, token):
                self.over.wait(_PAUSE)
                continue
            outages = self.outages
            code, result, said = self._once(name, job, token)
            if code in {0, 1}:
                return result
            self._refuse_lost(name, token)
            if self.outages == outages and not self.away:
                failures += 1
            if failures > kind_of(job.kind).retries:
                raise JobFailed(said or f"pk {job.kind} ended with code {code} without any output")
            self.over.wait(_BACKOFF)

    def _has_turn(self, name: str, job: Job, token: str) -> bool:
        return bool(self._patiently(lambda: take_turn(self.database, job.subject, name, token)))

    def _once(self, name: str, job: Job, token: str) -> tuple[int, dict[str, Any], str]:
        try:
            return self._in_its_folder(name, job, token)
        except PactkeeperError as error:
            return error.exit_code, {}, str(error)

    def _in_its_folder(self, name: str, job: Job, token: str) -> tuple[int, dict[str, Any], str]:
        with self.manner.folder(job) as folder, started(job, token, folder) as running:
            self.running[name] = (time.monotonic(), token, running)
            try:
                code = running.wait()
            finally:
                del self.running[name]
            return code, running.result(code), running.said()

    def _refuse_lost(self, name: str, token: str) -> None:
        """Raise HandedOver if the job was taken away, or met tables of a newer program; neither counts as a failure.

        A life that is over may have been given jobs at its very end. They are put back first, because the queue counts
        what ends under its own token as failed.
        """
        if token and self._owner(name) == token and not self.over.is_set():
            return
        while token and self._owner(name) == token:
            self._patiently(self.take_over)
            time.sleep(_PAUSE)
        raise HandedOver(f"job {name} no longer belongs to this worker")

    def _owner(self, name: str) -> str:
        return str(self._patiently(lambda: owner_token(self.database, name, self.id)))

    def _patiently(self, ask: Callable[[], Any]) -> Any:  # noqa: ANN401 - whatever is asked for
        """Ask the database, and wait while it is unavailable."""
        while True:
            try:
                return ask()
            except _AWAY:
                if self.over.wait(_PAUSE * 5):
                    raise

    # What follows runs in the worker's own thread.

    def live(self, ended: threading.Event) -> Ending:
        """Send heartbeats until asked to stop, until others took the jobs, or until a newer program is in charge."""
        while not ended.wait(self.manner.silence / 5):
            found = self._turn()
            if found:
                return found
        return "told to"

    def _turn(self) -> Ending | None:
        asked = time.monotonic()
        try:
            heard = beat(self.database, self.id)
            if heard is None:
                return "silent"
            self._came_back()
            self.owned, self.heard = heard.owned, asked
            waiting = [token for name, token in heard.owned.items() if name not in self.busy]
            self.idle = {token: self.idle.get(token, asked) for token in waiting}
            self._end_lost()
            if heard.newer:
                return "newer"
            self.take_over()
        except _AWAY as error:
            self._went_away(error)
        return None

    def _went_away(self, error: Exception) -> None:
        if not self.away:
            self.manner.tell(f"waiting for the database: {error}")
            self.outages += 1
        self.away, self.idle = True, {}

    def _came_back(self) -> None:
        if self.away:
            self.manner.tell("the database is back")
        self.away = False

    def _end_lost(self) -> None:
        """Kill processes whose job now belongs to another: cancelled, late, or handed over."""
        for name, (since, token, running) in list(self.running.items()):
            if since < self.heard and self.owned.get(name) != token:
                running.end()

    def take_over(self) -> None:
        """Put jobs of dead workers back into the queue, and our own that no thread is running.

        The library drops a job if the database goes away between its end and storing its result, or between handing it
        out and its start.
        """
        long_ago = self.heard - self.manner.silence
        dropped = [token for token, since in self.idle.items() if since < long_ago]
        found = hand_over(self.database, silence=self.manner.silence, resume=self._resume, dropped=dropped)
        for one in found:
            why = "had dropped it" if self.owned.get(one.job) in dropped else "is gone"
            self.manner.tell(f"{one.job} is taken from {one.worker}, which {why}")

    def _resume(self, orphans: Sequence[Orphan]) -> None:
        hopeless = [one.job for one in orphans if one.times > MOST_HANDOVERS]
        for queue in {one.queue for one in orphans}:
            names = [one.job for one in orphans if one.queue == queue and one.job not in hopeless]
            if names:
                self.queue.resume(names, queue)
        if hopeless:
            self.queue.give_up(hopeless)
            self.manner.tell(f"cancelled, because each brought down {MOST_HANDOVERS} workers: {', '.join(hopeless)}")

    def drain(self, seconds: int) -> None:
        """Take no more jobs, and wait up to `seconds` for the running ones; the heartbeat continues meanwhile."""
        if self.running and seconds:
            self.manner.tell(f"ending after {len(self.running)} jobs, or in {seconds} s")
        with suppress(*_AWAY):
            tell_state(self.database, self.id, "draining")
        stopping = threading.Thread(target=DBOS.destroy, kwargs={"workflow_completion_timeout_sec": seconds})
        stopping.start()
        while stopping.is_alive():
            stopping.join(self.manner.silence / 5)
            self._turn()

    def leave(self) -> None:
        """Give every job back, and only then kill processes, so that none of them counts as failed."""
        try:
            tell_state(self.database, self.id, "ended")
            self.take_over()
        except _AWAY as error:
            self.manner.tell(
                f"stopped without the database; others take over the jobs in {self.manner.silence:.0f} s: {error}"
            )
            os._exit(0)  # processes of jobs die with this one; waiting for them would let them count as failed
        self.end_all()

    def end_all(self) -> None:
        """Kill every process of this life."""
        self.over.set()
        for _, _, running in list(self.running.values()):
            running.end()
        until = time.monotonic() + 10
        while self.running and time.monotonic() < until:
            time.sleep(_PAUSE)


_now: list[_Life] = []  # DBOS calls registered functions, so they look up the life of this process here


@DBOS.workflow(name=WORKFLOW)
def _perform(told: dict[str, Any]) -> dict[str, Any]:
    name = DBOS.workflow_id or ""
    return _now[-1].perform(name, Job.of(told))


@DBOS.workflow(name=DUE)
def _due(at: str, told: dict[str, Any]) -> None:
    queue, job = _now[-1].queue, job_due(told, at)
    if not queue.waits(job):  # a job that is still waiting covers this time too
        queue.add(job)


def work(database: Database, queue: Queue, manner: Manner, ended: threading.Event) -> Ending:
    """Work until asked to stop or a newer program changed the database; begins a new life after a long silence."""
    bury_temporary()
    while True:
        life = _Life(database, queue, manner)
        ending = _lived(life, ended)
        if ending != "silent":
            return ending
        manner.tell("this worker was silent for too long; its jobs went to others, and it starts over")


def _lived(life: _Life, ended: threading.Event) -> Ending:
    register(life.database, life.id, host=socket.gethostname(), process=os.getpid(), version=life.manner.version)
    _now.append(life)
    _launch(life)
    try:
        ending = life.live(ended)
        if ending == "silent":
            life.end_all()
            return ending
        life.drain(int(life.manner.drain) if ending == "told to" else 0)
        life.leave()
        return ending
    finally:
        DBOS.destroy()
        _now.remove(life)


def _launch(life: _Life) -> None:
    DBOS(
        config={
            "name": APPLICATION,
            "system_database_url": plain_url(life.queue.address),
            "application_version": PROTOCOL,
            "executor_id": life.id,
            "serializer": DBOSPortableJSONSerializer(),
            "sys_db_pool_size": 4,
            "sys_db_idle_transaction_timeout_sec": life.manner.silence,
            "db_engine_kwargs": {"connect_args": {**WATCHED, "application_name": f"pactkeeper {life.id}"[:63]}},
            "log_level": "CRITICAL",
            "run_migrations": False,
        }
    )
    DBOS.listen_queues([QUEUE])
    DBOS.launch()
    life.manner.tell(f"worker {life.id} takes jobs")


BUCKETS = (0.5, 1, 2, 5, 10, 30, 60, 300, 1800, 7200)


class Measures:
    """Jobs of this worker by kind and outcome, their durations, and what is waiting across all workers."""

    def __init__(self, waiting: Callable[[], Mapping[str, int]]) -> None:
        self.registry = CollectorRegistry()
        self._jobs = Counter(
            "pactkeeper_jobs", "Jobs that ended on this worker.", ["kind", "outcome"], registry=self.registry
        )
        self._seconds = Histogram(
            "pactkeeper_job_seconds", "How long jobs took.", ["kind"], buckets=BUCKETS, registry=self.registry
        )
        self.registry.register(_Waiting(waiting))

    def count(self, kind: str, outcome: str, seconds: float) -> None:
        """Count a job."""
        self._jobs.labels(kind, outcome).inc()
        self._seconds.labels(kind).observe(seconds)

    def serve(self, host: str, port: int) -> None:
        """Start serving Prometheus; raises UsageError if the address can't be bound."""
        try:
            start_http_server(port, host, self.registry)
        except OSError as error:
            raise UsageError(
                f"{host}:{port} cannot be used for listening: {error.strerror}; name another port"
            ) from None


class _Waiting(Collector):
    """Reads the queue at each scrape."""

    def __init__(self, waiting: Callable[[], Mapping[str, int]]) -> None:
        self._ask = waiting

    def collect(self) -> Iterator[Metric]:
        family = GaugeMetricFamily("pactkeeper_queue", "Jobs that wait or run, and workers that live.", labels=["what"])
        try:
            found = self._ask()
        except (StoreUnavailable, BusyError):
            found = {}  # an unreachable queue is not an empty one, so the metric is left out
        for name, number in found.items():
            family.add_metric([name], number)
        yield family
