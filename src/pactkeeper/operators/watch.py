"""The verb that keeps watch.

A watch sweeps when one is due, notifies planners of each, and survives their failures. All its state is in the
history, so that a killed watch resumes where it was. The repository is reopened for every sweep, so that a database
outage, changed settings or a grown cache do not affect later ones.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final

from pactkeeper.catalog.placement import alone
from pactkeeper.errors import BusyError, CatalogError, PactkeeperError
from pactkeeper.health.concluding import Conclusion
from pactkeeper.health.watching import WATCHING, SweepPace, colour, colours, due_at, retry_after
from pactkeeper.intent.health import HealthSettings
from pactkeeper.operators.sweep import SweepRequest, sweep
from pactkeeper.repo.git import Repository
from pactkeeper.workspace import Workspace

Opener = Callable[[], "AbstractContextManager[Workspace]"]
Planner = Callable[[Conclusion], None]

POLL: Final = 5.0  # seconds between two looks at the branch


@dataclass(frozen=True, slots=True)
class Clock:
    """The current time, and how to sleep for some seconds; simulations pass their own."""

    now: Callable[[], datetime]
    wait: Callable[[float], None]


@dataclass(frozen=True, slots=True)
class WatchRequest:
    """What to watch: the branch `at`, by default HEAD; `once` for a single turn, `seconds` for how long.

    A single turn sweeps immediately if the branch has moved since the last sweep. `trust` is as in a SweepRequest.
    """

    at: str | None = None
    once: bool = False
    seconds: float | None = None
    trust: str = ""


@dataclass(slots=True)
class Watched:
    """The result of a watch: completed sweeps, how many were stale, and turns in which no sweep was possible."""

    sweeps: int = 0
    stale: int = 0
    failures: int = 0


def watch_repo(
    opener: Opener,
    request: WatchRequest,
    clock: Clock,
    tell: Callable[[str], None],
    *,
    on_sweep_complete: Sequence[Planner] = (),
) -> Watched:
    """Sweep whenever one is due, until the time is over or an exception from outside ends it.

    A failed sweep is reported and retried, with growing delays; a failing planner is only reported. BrokenPipeError
    alone ends the watch, because nobody is listening any more. Raises BusyError if another process watches this
    repository, UnknownRevision if the branch does not exist at the start, and whatever opening raises.
    """
    with opener() as workspace:
        repository, state = workspace.repository, workspace.state
        if request.at is not None:
            repository.resolve(request.at)
    with alone(state, WATCHING):
        watch = _Watch(opener, request, clock, tell, on_sweep_complete, repository)
        tell(_intent(repository, request))
        if request.once:
            left = watch.turn()
            if not watch.done.sweeps:
                tell(f"no sweep is due yet: nothing has moved since the last one; the next one is in {left:.0f} s")
        else:
            watch.go_on()
        return watch.done


def _intent(repository: Repository, request: WatchRequest) -> str:
    """Describe what is watched, before the first sweep takes its time."""
    commit = repository.resolve(request.at) if request.at is not None else repository.head()
    verb = "looking once at" if request.once else "watching"
    where = f"{verb} {request.at or 'HEAD'} of {str(repository.root)!r}"
    return f"{where}, now at {commit[:12] if commit else 'no commit'}; sweeps are reported when they finish"


@dataclass(slots=True)
class _Watch:
    """A watch in progress; `pace` is None until it is read, and nothing is tried before `again`.

    `last` is when its own last sweep ended and at which commit, since the history does not store every sweep.
    """

    opener: Opener
    request: WatchRequest
    clock: Clock
    tell: Callable[[str], None]
    planners: Sequence[Planner]
    repository: Repository
    done: Watched = field(default_factory=Watched)
    pace: SweepPace | None = None
    last: tuple[datetime, str] | None = None
    settings: HealthSettings = field(default_factory=HealthSettings)
    again: datetime | None = None
    failures: int = 0
    waiting: bool = False

    def go_on(self) -> None:
        """Take turns until the time is over; a sweep in progress is completed."""
        seconds = self.request.seconds
        until = None if seconds is None else self.clock.now() + timedelta(seconds=seconds)
        while until is None or self.clock.now() < until:
            try:
                left = self.turn()
            except BusyError as error:
                left = self._wait(error)
            except BrokenPipeError:
                raise  # the reader of the output or the feed is gone
            except (PactkeeperError, OSError) as error:
                left = self._fail(error)
            rest = left if until is None else min(left, (until - self.clock.now()).total_seconds())
            if rest > 0:
                self.clock.wait(min(rest, POLL))

    def turn(self) -> float:
        """Sweep if it is due, and return the seconds until there is something to do."""
        now = self.clock.now()
        if self.again is not None and now < self.again:
            return (self.again - now).total_seconds()
        left = self._left(self._known(), now)
        if left > 0:
            return left
        with self.opener() as workspace:
            self.pace = self._read(workspace)  # another process may have swept meanwhile
            left = self._left(self.pace, now)
            if left > 0:
                return left
            found = sweep(workspace, SweepRequest(at=self.request.at, trust=self.request.trust))
        self.last, self.pace = (self.clock.now(), found.sweep.commit), None
        self.again, self.failures, self.waiting = None, 0, False
        self._publish(found)
        return 0.0

    def _left(self, pace: SweepPace, now: datetime) -> float:
        tip = self.repository.resolve(self.request.at or "HEAD")
        if self.request.once and tip != pace.commit:
            return 0.0  # no later turn could sweep several commits together
        return (due_at(pace, tip=tip, now=now) - now).total_seconds()

    def _known(self) -> SweepPace:
        """Return the cached pace; it is read anew after every turn that swept or failed."""
        if self.pace is None:
            with self.opener() as workspace:
                self.pace = self._read(workspace)
        return self.pace

    def _read(self, workspace: Workspace) -> SweepPace:
        pace = read_pace(workspace, at=self.request.at or "HEAD")
        self.settings = pace.settings
        if self.last is not None and (pace.ended is None or pace.ended < self.last[0]):
            return replace(pace, ended=self.last[0], commit=self.last[1])
        return pace

    def _publish(self, found: Conclusion) -> None:
        self.done.sweeps += 1
        self.done.stale += found.sweep.stale
        self.tell(_line(found, self.clock.now()))
        for planner in self.planners:
            try:
                planner(found)
            except BrokenPipeError:
                raise
            except (PactkeeperError, OSError) as error:
                self.tell(f"a planner was not notified of {found.sweep.id}: {error}")
            except Exception:  # noqa: BLE001 - a third-party callable must not end the watch; its traceback is reported
                self.tell(f"a planner failed on {found.sweep.id}:\n{traceback.format_exc()}")

    def _wait(self, error: BusyError) -> float:
        """Put the sweep off while another process sweeps; its results are read from the history afterwards."""
        if not self.waiting:
            self.tell(f"{error}; this watch continues afterwards")
        self.waiting = True
        return self._put_off(retry_after(1, self.settings))

    def _fail(self, error: Exception) -> float:
        self.failures += 1
        self.done.failures += 1
        seconds = retry_after(self.failures, self.settings)
        self.tell(f"could not sweep: {error}; trying again in {seconds} s")
        return self._put_off(seconds)

    def _put_off(self, seconds: int) -> float:
        self.again, self.pace = self.clock.now() + timedelta(seconds=seconds), None
        return float(seconds)


def _line(found: Conclusion, now: datetime) -> str:
    """Summarise one sweep on one line."""
    sweep_ = found.sweep
    where = f"{sweep_.commit[:12]}{f' on {sweep_.branch}' if sweep_.branch else ''}"
    head = f"{now.isoformat(timespec='seconds')} {'stale' if sweep_.stale else colour(sweep_)} at {where}"
    bad = [one.check for one in sweep_.results if one.verdict not in {"pass", "not applicable"}]
    told = [f"not passed: {', '.join(bad)}"] if bad else []
    told += [sweep_.unjudged] if sweep_.unjudged else []
    told += [f"checks could not judge the commit: {sweep_.infrastructure}"] if sweep_.infrastructure else []
    if found.grouping is not None and found.grouping.state != "answered":
        why = "; ".join(found.grouping.reasons) or found.grouping.state
        told.append(f"grouped by rules, not by {found.grouping.model}: {why}")
    told += [f"{one.id}: {one.description.splitlines()[0]}" for one in found.tasks]
    told += [f"{one.id} waits for a person" for one in found.escalated]
    told += [f"{one.id} is obsolete: {one.note}" for one in found.dropped]
    return "; ".join([head, *told])


_RECENT: Final = 50  # sweeps searched for the last ones that are neither stale nor unknown


def read_pace(workspace: Workspace, *, at: str) -> SweepPace:
    """Compute the pace from the last sweeps, with the settings of the commit `at`."""
    settings = _settings(workspace, at)
    pace = SweepPace(settings)
    if not workspace.has_history:
        return pace
    from pactkeeper.store.health import sweeps  # noqa: PLC0415 - SQL

    found = sweeps(workspace.history(), limit=max(_RECENT, settings.greens))
    if not found:
        return pace
    last = found[0]
    return replace(pace, ended=datetime.fromisoformat(last.ended_at), commit=last.commit, colours=colours(found))


def _settings(workspace: Workspace, at: str) -> HealthSettings:
    try:
        return workspace.pact(workspace.snapshot(at)).settings.health
    except CatalogError:
        return HealthSettings()  # the sweep must run to report what is wrong: a merge may have broken the file
