"""The verbs that keep watch, and that report a project's health: its colour and since when, and the timeline.

A watch sweeps when one is due, notifies planners of each, and survives their failures. All its state is in the
history, so that a killed watch resumes where it was. The repository is reopened for every sweep, so that a database
outage, changed settings or a grown cache do not affect later ones.
"""

from __future__ import annotations

import traceback
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import takewhile
from typing import Final

from pactkeeper.catalog.placement import alone, holder
from pactkeeper.errors import BusyError, CatalogError, PactkeeperError
from pactkeeper.health.concluding import Conclusion
from pactkeeper.health.sweeping import tips_of_main
from pactkeeper.health.watching import WATCHING, Colour, SweepPace, colour, colours, due_at, retry_after
from pactkeeper.intent.health import FixStatus, HealthSettings, HealthState, Sweep
from pactkeeper.operators.fix_tasks import Window, commits_between, commits_since, list_fix_tasks, part_of
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


MOST: Final = 500  # sweeps searched for the one that changed the colour


@dataclass(frozen=True, slots=True)
class HealthStatus:
    """The health of main: green only if its newest commit was swept green, else red if the last sweep before was.

    `since` is the first of main's latest sweeps with the same colour, None if there is none; `last` is the sweep that
    decides, else the newest of all. `unswept` counts the commits of main that it did not see, at least 1 if it decides
    nothing, and `unpulled` those of main that HEAD lacks. `stale` counts the sweeps since of commits
    that others follow. `findings` and `tasks` count the open ones; `due_at` is when a watch would sweep
    next, in ISO 8601, and `watched_by` who watches, empty for nobody.
    """

    colour: Colour
    due_at: str
    last: Sweep | None = None
    since: Sweep | None = None
    unswept: int = 0
    unpulled: int = 0
    stale: int = 0
    findings: Mapping[HealthState, int] = field(default_factory=dict)
    flaky: int = 0
    tasks: Mapping[FixStatus, int] = field(default_factory=dict)
    watched_by: str = ""


@dataclass(frozen=True, slots=True)
class Moment:
    """One sweep of the timeline; `window` is set if the line turned red here, with the commits in between."""

    sweep: Sweep
    colour: Colour
    window: Window | None = None


def health_status(workspace: Workspace) -> HealthStatus:
    """Report the project's health without running anything."""
    now = workspace.now()
    due = due_at(read_pace(workspace, at="HEAD"), tip=workspace.repository.resolve("HEAD"), now=now)
    due_text, watcher = due.isoformat(timespec="seconds"), holder(workspace.state, WATCHING)
    if not workspace.has_history:
        return HealthStatus("not known", due_text, watched_by=watcher)
    from pactkeeper.store.health import health_findings, sweeps  # noqa: PLC0415 - SQL

    history = workspace.history()
    found = sweeps(history, limit=MOST)
    line = _standing(workspace, found)
    same = list(takewhile(lambda one: colour(one) == line.colour, line.sweeps))
    findings = [one for one in health_findings(history) if one.state != "resolved"]
    return HealthStatus(
        line.colour,
        due_text,
        last=line.last,
        since=same[-1] if same else None,
        unswept=line.unswept,
        unpulled=commits_since(workspace, "HEAD") if line.unswept else 0,
        stale=sum(1 for _ in takewhile(lambda one: one.stale, found)),
        findings=Counter(one.state for one in findings),
        flaky=sum(one.flaky for one in findings),
        tasks=Counter(one.status for one in list_fix_tasks(workspace)),
        watched_by=watcher,
    )


@dataclass(frozen=True, slots=True)
class Line:
    """The swept line: the sweep that decides, if any, how many commits of main it did not see, and the colour.

    `sweeps` are those of main's commits that count, the one that decides first, then newest first; `past` are those of
    commits of main that others followed already.
    """

    last: Sweep | None
    unswept: int
    colour: Colour
    sweeps: tuple[Sweep, ...] = ()
    past: tuple[Sweep, ...] = ()


def swept_line(workspace: Workspace) -> Line:
    """Return how the swept line stands at its newest commit."""
    from pactkeeper.store.health import sweeps  # noqa: PLC0415 - SQL

    return _standing(workspace, sweeps(workspace.history(), limit=MOST))


def _standing(workspace: Workspace, found: Sequence[Sweep]) -> Line:
    """Judge main by the sweeps of its own commits; others, which it has left or never had, say nothing about it."""
    here = workspace.repository.commits_named([one.commit for one in found])
    known = [one for one in found if one.commit in here and not _says_little(one)]
    counting = [one for one in known if not one.stale]
    tips = tips_of_main(workspace.repository) if known else ()
    own = part_of(workspace, (one.commit for one in known), tips)
    past = tuple(one for one in known if one.stale and one.commit in own)
    if not counting:
        return Line(None, 0, "not known", past=past)
    line = sorted((one for one in counting if one.commit in own), key=lambda one: one.commit not in tips)
    if not line:
        return Line(counting[0], max(1, commits_since(workspace, counting[0].commit)), "not known", past=past)
    last = line[0]
    unswept, seen = commits_since(workspace, last.commit), colour(last)
    return Line(last, unswept, "not known" if unswept and seen == "green" else seen, tuple(line), past)


def _says_little(sweep: Sweep) -> bool:
    """Whether only some checks were requested and none failed, so that the colour stays what it was."""
    return bool(sweep.only) and colour(sweep) == "not known"


@dataclass(frozen=True, slots=True)
class Turns:
    """The colours of main's swept commits: how it stands now, `since` which of them, and its last `red` turn, if any.

    It was green `before` that turn; if it is green now, it turned so again at `since`.
    """

    line: Line
    since: Sweep | None = None
    red: Moment | None = None
    before: Sweep | None = None


def main_turns(workspace: Workspace) -> Turns:
    """Return since when main has its colour and when it last turned red, in the order of its commits."""
    if not workspace.has_history:
        return Turns(Line(None, 0, "not known"))
    line = swept_line(workspace)
    judged = _by_commit(workspace, [one for one in (*line.sweeps, *line.past) if colour(one) != "not known"])
    if not judged:
        return Turns(line)
    greens = len(list(takewhile(lambda one: colour(one) == "green", judged)))
    reds = len(list(takewhile(lambda one: colour(one) == "red", judged[greens:])))
    earlier = judged[greens + reds :]
    red = _moment(workspace, judged[greens + reds - 1], earlier) if reds else None
    return Turns(line, judged[(greens or reds) - 1], red, earlier[0] if earlier else None)


def _by_commit(workspace: Workspace, found: Sequence[Sweep]) -> list[Sweep]:
    """Return the last sweep of each commit, in the order of main's commits, newest first."""
    if not found:
        return []
    latest: dict[str, Sweep] = {}
    for one in found:
        latest.setdefault(one.commit, one)
    tips = tips_of_main(workspace.repository)
    listed = workspace.repository.run("rev-list", "--topo-order", *tips, "--").decode().split()
    return [latest[commit] for commit in listed if commit in latest]


def health_timeline(workspace: Workspace, *, limit: int = 20) -> tuple[Moment, ...]:
    """Return the last sweeps, newest first, at most `limit`."""
    if not workspace.has_history:
        return ()
    from pactkeeper.store.health import sweeps  # noqa: PLC0415 - SQL

    found = sweeps(workspace.history(), limit=limit + MOST)
    return tuple(
        Moment(one, colour(one)) if one.stale else _moment(workspace, one, [each for each in rest if not each.stale])
        for one, rest in ((one, found[place:]) for place, one in enumerate(found[:limit], start=1))
    )


def _moment(workspace: Workspace, one: Sweep, earlier: Sequence[Sweep]) -> Moment:
    before = next((each for each in earlier if colour(each) != "not known"), None)
    if colour(one) != "red" or before is None or colour(before) == "red":
        return Moment(one, colour(one))
    return Moment(one, "red", Window(before.commit, one.commit, commits_between(workspace, before.commit, one.commit)))
