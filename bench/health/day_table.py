"""What a simulated day must show, and its table."""

from __future__ import annotations

import os
import re
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from pactkeeper.health.tasking import OPEN
from pactkeeper.store.health import fix_tasks, health_findings, sweeps

if TYPE_CHECKING:
    from bench.health.day import Day


def claims(day: Day) -> dict[str, tuple[object, bool]]:
    """What a day must show, each with what it did show, and whether that holds; to be asked when the day is over."""
    with day.open() as opened:
        history = opened.history()
        kept, findings, tasks = sweeps(history, limit=100_000), health_findings(history), fix_tasks(history)
    stale = {one.id for one in kept if one.stale}
    drawn = [one for one in findings if one.first_sweep in stale or one.last_sweep in stale]
    drawn_tasks = [name for one in kept if one.stale for name in one.tasks]
    open_files = {one.diagnostic.file for one in findings if one.state != "resolved" and one.task}
    shown = Counter(re.findall(r"^pactkeeper: (fix-\w+)-created", _board(day), re.MULTILINE))
    there = {one.id for one in tasks if one.status in OPEN}
    left = _processes(str(day.gate))
    found: dict[str, tuple[object, bool]] = {
        "failures with two tasks": (len(day.seen.doubled), not day.seen.doubled),
        "judged sweeps that a failure was without a task, at most": (day.seen.longest_wait, day.seen.longest_wait <= 5),
        "broken files without a task at the end": (len(day.faults - open_files), day.faults <= open_files),
        "findings and tasks of stale sweeps": (len(drawn) + len(drawn_tasks), not drawn and not drawn_tasks),
        "tasks twice on the board": (sum(shown.values()) - len(shown), max(shown.values(), default=1) == 1),
        "open tasks not on the board at the end": (len(there - set(shown)), there <= set(shown)),
        "work trees left": (day.seen.samples[-1].trees, day.seen.samples[-1].trees == 0),
        "processes left": (len(left), not left),
    }
    return found


def _board(day: Day) -> str:
    tasks = day.folder / "data/pactkeeper/board/tasks"
    return "\n".join(one.read_text() for one in sorted(tasks.glob("*.md")))


def _processes(gate: str) -> list[str]:
    """Processes of checks that are still there, known by the folder of the gate in their environment."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if place.name != str(os.getpid()) and f"DAY_GATE={gate}".encode() in (place / "environ").read_bytes():
                found.append(place.name)
    return found


def table(day: Day, seconds: float) -> str:
    """The day in Markdown."""
    seen = day.seen
    killed = ", ".join(f"{count} {why}" for why, count in seen.kills.items())
    feed = sum(1 for one in day.folder.glob("feed.jsonl*") for _ in one.open())
    counted = [
        f"{seen.commits} events with {int(day.git('rev-list', '--count', 'HEAD')):,} commits",
        f"{seen.broken} faults",
        f"{seen.fresh + seen.stale} sweeps told of, {seen.stale} of them stale",
        f"{seen.merged_during} commits during a sweep",
        f"{sum(seen.kills.values())} kills ({killed})",
        f"{feed} lines of the feed",
    ]
    lines = [
        f"{', '.join(counted)}; {seconds:.0f} s.",
        "",
        "| claim | seen | holds |",
        "|---|---|---|",
        *(f"| {name} | {value} | {'yes' if holds else '**no**'} |" for name, (value, holds) in claims(day).items()),
        "",
        "| hour | memory of the watch, MiB | history, KiB | state folder, KiB | caches, KiB | work trees |",
        "|---|---|---|---|---|---|",
        *(
            f"| {one.at / 3600:.0f} | {one.memory / 1024:.1f} | {one.history:,} | {one.state:,} | {one.caches:,} "
            f"| {one.trees} |"
            for one in seen.samples
        ),
    ]
    return "\n".join(lines)
