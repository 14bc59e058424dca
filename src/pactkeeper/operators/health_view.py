"""Verbs that report a project's health: its colour and since when, what to fix, and the timeline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Final

from pactkeeper.catalog.placement import holder
from pactkeeper.health.watching import WATCHING, Colour, colour, due_at
from pactkeeper.intent.health import FixStatus, HealthState, Sweep
from pactkeeper.operators.fix_tasks import Window, commits_between, list_fix_tasks
from pactkeeper.operators.watch import read_pace
from pactkeeper.workspace import Workspace

MOST: Final = 500  # sweeps searched for the one that changed the colour


@dataclass(frozen=True, slots=True)
class HealthStatus:
    """The health of the swept line, by the last sweep that counts.

    `since` is the first of the latest sweeps with the same colour, `last` the newest one; both None if nothing was
    swept. `stale` counts sweeps at the end of the line that were overtaken by new commits. `findings` and `tasks` count
    the open ones; `due_at` is when a watch would sweep next, in ISO 8601, and `watched_by` who watches, empty for
    nobody.
    """

    colour: Colour
    due_at: str
    last: Sweep | None = None
    since: Sweep | None = None
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
    counting = [one for one in found if not one.stale and not _says_little(one)]
    now_colour: Colour = colour(counting[0]) if counting else "not known"
    same = list(takewhile(lambda one: colour(one) == now_colour, counting))
    findings = [one for one in health_findings(history) if one.state != "resolved"]
    return HealthStatus(
        now_colour,
        due_text,
        last=counting[0] if counting else None,
        since=same[-1] if same else None,
        stale=sum(1 for _ in takewhile(lambda one: one.stale, found)),
        findings=Counter(one.state for one in findings),
        flaky=sum(one.flaky for one in findings),
        tasks=Counter(one.status for one in list_fix_tasks(workspace)),
        watched_by=watcher,
    )


def last_counting(workspace: Workspace) -> tuple[Sweep | None, Colour]:
    """Return the last sweep that counts, if there is one, and the colour of the swept line."""
    from pactkeeper.store.health import sweeps  # noqa: PLC0415 - SQL

    found = sweeps(workspace.history(), limit=MOST)
    last = next((one for one in found if not one.stale and not _says_little(one)), None)
    return last, colour(last) if last else "not known"


def _says_little(sweep: Sweep) -> bool:
    """Whether only some checks were requested and none failed, so that the colour stays what it was."""
    return bool(sweep.only) and colour(sweep) == "not known"


def health_timeline(workspace: Workspace, *, limit: int = 20) -> tuple[Moment, ...]:
    """Return the last sweeps, newest first, at most `limit`."""
    if not workspace.has_history:
        return ()
    from pactkeeper.store.health import sweeps  # noqa: PLC0415 - SQL

    found = sweeps(workspace.history(), limit=limit + MOST)
    return tuple(_moment(workspace, one, found[place + 1 :]) for place, one in enumerate(found[:limit]))


def _moment(workspace: Workspace, one: Sweep, earlier: Sequence[Sweep]) -> Moment:
    judged = (each for each in earlier if not each.stale and colour(each) != "not known")
    before = next(judged, None)
    if one.stale or colour(one) != "red" or before is None or colour(before) == "red":
        return Moment(one, colour(one))
    return Moment(one, "red", Window(before.commit, one.commit, commits_between(workspace, before.commit, one.commit)))
