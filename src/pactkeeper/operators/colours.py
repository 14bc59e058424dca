"""How main stands by its sweeps: its colour and since when, when it turned, and the timeline. Nothing is run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Final

from pactkeeper.catalog.placement import holder
from pactkeeper.health.sweeping import tips_of_main
from pactkeeper.health.watching import WATCHING, Colour, colour, due_at
from pactkeeper.intent.health import FixStatus, HealthState, Sweep
from pactkeeper.operators.fix_tasks import Window, commits_between, commits_since, list_fix_tasks, part_of
from pactkeeper.operators.watch import read_pace
from pactkeeper.workspace import Workspace

MOST: Final = 500  # sweeps searched for the one that changed the colour


@dataclass(frozen=True, slots=True)
class HealthStatus:
    """The health of main: green only if its newest commit was swept green, else red if the last sweep before was.

    `since` is the sweep of the first commit from which on all have the same colour, None if it is not known; `last` is
    the sweep that decides, else the newest of all. `unswept` counts the commits of main that it did not see, at least 1
    if it decides nothing, and `unpulled` those of main that HEAD lacks. `stale` counts the sweeps since of commits that
    others follow. `findings` and `tasks` count the open ones; `due_at` is when a watch would sweep
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
    """One sweep of the timeline; `window` is set if the line turned red here, with the commits in between.

    `again` is the sweep at which it was green again.
    """

    sweep: Sweep
    colour: Colour
    window: Window | None = None
    again: Sweep | None = None


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
    findings = [one for one in health_findings(history) if one.state != "resolved"]
    return HealthStatus(
        line.colour,
        due_text,
        last=line.last,
        since=_since(_by_commit(workspace, line)) if line.colour != "not known" else None,
        unswept=line.unswept,
        unpulled=commits_since(workspace, "HEAD", line.tips) if line.unswept else 0,
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
    commits of main that others followed already; `tips` are main's newest commits, if any sweep is known.
    """

    last: Sweep | None
    unswept: int
    colour: Colour
    sweeps: tuple[Sweep, ...] = ()
    past: tuple[Sweep, ...] = ()
    tips: tuple[str, ...] = ()


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
        return Line(None, 0, "not known", past=past, tips=tips)
    line = sorted((one for one in counting if one.commit in own), key=lambda one: one.commit not in tips)
    if not line:
        unswept = max(1, commits_since(workspace, counting[0].commit, tips))
        return Line(counting[0], unswept, "not known", past=past, tips=tips)
    last = line[0]
    unswept, seen = commits_since(workspace, last.commit, tips), colour(last)
    return Line(last, unswept, "not known" if unswept and seen == "green" else seen, tuple(line), past, tips)


def _says_little(sweep: Sweep) -> bool:
    """Whether only some checks were requested and none failed, so that the colour stays what it was."""
    return bool(sweep.only) and colour(sweep) == "not known"


@dataclass(frozen=True, slots=True)
class Turns:
    """The colours of main's swept commits: how it stands now, `since` which of them, and its last `red` turn, if any.

    It was green `before` that turn.
    """

    line: Line
    since: Sweep | None = None
    red: Moment | None = None
    before: Sweep | None = None


def main_turns(workspace: Workspace) -> Turns:
    """Return since when main has its colour and when it last turned red, in the order of its commits."""
    if not workspace.has_history:
        return Turns(Line(None, 0, "not known"))
    return _turns(workspace, swept_line(workspace))


def _turns(workspace: Workspace, line: Line) -> Turns:
    judged = _by_commit(workspace, line)
    if not judged:
        return Turns(line)
    turn = next(_turned_red(judged), None)
    red = None if turn is None else Moment(turn[0], "red", _window(workspace, *turn[:2]), turn[2])
    return Turns(line, _since(judged), red, None if turn is None else turn[1])


def _since(judged: Sequence[Sweep]) -> Sweep | None:
    """Return the sweep of the first commit from which on all have the newest one's colour."""
    same = list(takewhile(lambda one: colour(one) == colour(judged[0]), judged))
    return same[-1] if same else None


def _turned_red(judged: Sequence[Sweep]) -> Iterator[tuple[Sweep, Sweep | None, Sweep | None]]:
    """Yield each sweep at which main turned red, or was red at first, newest first, with the green ones around it."""
    again: Sweep | None = None
    for one, before in zip(judged, (*judged[1:], None), strict=False):
        if colour(one) == "red" and (before is None or colour(before) == "green"):
            yield one, before, again
        again = one if colour(one) == "green" else again


def _window(workspace: Workspace, red: Sweep, green: Sweep | None) -> Window | None:
    if green is None:
        return None
    return Window(green.commit, red.commit, commits_between(workspace, green.commit, red.commit))


def _by_commit(workspace: Workspace, line: Line) -> list[Sweep]:
    """Return the last sweep that judged each commit, in the order of main's commits, newest first."""
    latest: dict[str, Sweep] = {}
    for one in (*line.sweeps, *line.past):
        if colour(one) != "not known":
            latest.setdefault(one.commit, one)
    if not latest:
        return []
    listed = workspace.repository.run("rev-list", "--topo-order", *line.tips, "--").decode().split()
    return [latest[commit] for commit in listed if commit in latest]


def health_timeline(workspace: Workspace, *, limit: int = 20) -> tuple[Moment, ...]:
    """Return the last sweeps, newest first, at most `limit`; main turns red in the order of its commits."""
    if not workspace.has_history:
        return ()
    from pactkeeper.store.health import sweeps  # noqa: PLC0415 - SQL

    found = sweeps(workspace.history(), limit=limit + MOST)
    judged = _by_commit(workspace, _standing(workspace, found))
    turned = {red.commit: (green, again) for red, green, again in _turned_red(judged)}
    first = {one.commit: one for one in found if one.commit in turned and colour(one) == "red"}
    moments: list[Moment] = []
    for one in found[:limit]:
        before, again = turned[one.commit] if first.get(one.commit) is one else (None, None)
        moments.append(Moment(one, colour(one), _window(workspace, one, before), again))
    return tuple(moments)
