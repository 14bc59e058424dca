"""What was applied in this clone according to the write journal, and its transfer to the history.

Also the timers that reconciliation sets, for a review nobody starts and for the end of a snooze: one tick does
everything due, and nothing twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from pactkeeper import advice
from pactkeeper.catalog.journal import WriteEntry, entries
from pactkeeper.ledger.canonical import Run
from pactkeeper.ledger.finding import Finding
from pactkeeper.store.history import History
from pactkeeper.store.runs import find_run
from pactkeeper.store.waiting import (
    Timer,
    add_timer,
    advance,
    due,
    entry_name,
    note_applied,
    note_undone,
    open_ops,
    undone_entries,
    unnoted,
)


def applied_ops(state: Path) -> frozenset[str]:
    """Return the ids of all ops applied in this clone and not undone since."""
    standing = (entry for entry in entries(state) if entry.undone_by is None and entry.undoes is None)
    return frozenset(name for entry in standing for name in ops_of(entry))


def ops_of(entry: WriteEntry) -> Iterator[str]:
    """Yield the ids of the ops that one write applied."""
    listed = entry.metadata.get("ops")
    yield from (str(one) for one in (listed if isinstance(listed, list) else ()))


def follow_journal(history: History, state: Path) -> None:
    """Copy the journal into the history: a process may have died between a write and recording it."""
    found = {entry.id: entry for entry in entries(state)}
    writes = {_name(one): one for one in found.values() if isinstance(one.metadata.get("patch"), str)}
    first = {name: next(ops_of(one), None) for name, one in writes.items()}
    for name in unnoted(history, [(name, op) for name, op in first.items() if op is not None]):
        note_applied(history, name, str(writes[name].metadata["patch"]), ops_of(writes[name]), at=writes[name].at)
    undos = [one for one in found.values() if one.undoes in found]
    known = undone_entries(history) if undos else frozenset()
    for entry in undos:
        pair = _name(found[entry.undoes or 0]), _name(entry)
        if pair not in known:
            note_undone(history, *pair, at=entry.at)


def _name(entry: WriteEntry) -> str:
    return entry_name(entry.id, entry.at)


REVIEW: Final = "review_waits"
SNOOZE: Final = "snooze_ends"
PATIENCE: Final = timedelta(days=3)


def remind_of_review(history: History, run: Run, *, now: datetime) -> None:
    """Set a one-time reminder of a run awaiting a person, three days after it first paused."""
    at = (now + PATIENCE).isoformat(timespec="milliseconds")
    add_timer(history, Timer(f"{REVIEW} {run.id}", REVIEW, run.id, at))


def tell_end_of_snooze(history: History, finding: Finding, *, until: str) -> None:
    """Set a notification for the end of a snooze; `until` is ISO 8601 with offset."""
    name = f"{SNOOZE} {finding.fingerprint} {until}"
    add_timer(history, Timer(name, SNOOZE, finding.subject, until, {"code": finding.code}))


@dataclass(frozen=True, slots=True)
class Ticked:
    """A timer that was due, and what to report about it; empty if it has resolved itself meanwhile."""

    timer: Timer
    message: str


def tick(history: History, *, now: datetime) -> tuple[Ticked, ...]:
    """Do what is due by now, longest overdue first; a timer that another process advanced is left to it.

    Timers of other kinds, such as those of threads, are left to whoever can act on them.
    """
    at = now.isoformat(timespec="milliseconds")
    return tuple(
        Ticked(timer, KINDS[timer.kind](history, timer))
        for timer in due(history, now=at)
        if timer.kind in KINDS and advance(history, timer, at=at)
    )


def _remind_of_review(history: History, timer: Timer) -> str:
    run = find_run(history, timer.subject)
    waiting = len(open_ops(history).get(timer.subject, ()))
    if run is None or run.status != "paused" or not waiting:
        return ""
    return f"{run.id} has waited for review since {run.updated_at[:10]}: {waiting} ops; " + advice.REVIEW(run.id)


def _end_of_snooze(_: History, timer: Timer) -> str:
    return f"{timer.payload.get('code', '')} {timer.subject} counts again: its snooze ended"


# What to do for each kind of timer; the result is a message for people, or empty.
KINDS: Final[Mapping[str, Callable[[History, Timer], str]]] = {REVIEW: _remind_of_review, SNOOZE: _end_of_snooze}
