"""The verb that advances timers: one tick does everything due, and nothing twice."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from pactkeeper import advice
from pactkeeper.reconcile.journal import REVIEW, SNOOZE
from pactkeeper.store.history import History
from pactkeeper.store.runs import find_run
from pactkeeper.store.waiting import Timer, advance, due, open_ops
from pactkeeper.tickets.ground import KIND as THREAD


@dataclass(frozen=True, slots=True)
class Ticked:
    """A timer that was due, and what to report about it; empty if it has resolved itself meanwhile."""

    timer: Timer
    message: str


def tick(history: History, *, now: datetime) -> tuple[Ticked, ...]:
    """Do what is due by now, longest overdue first; a timer that another process advanced is left to it.

    Timers of threads are left to `tick_threads`, which can post there.
    """
    at = now.isoformat(timespec="milliseconds")
    return tuple(
        Ticked(timer, KINDS[timer.kind](history, timer) if timer.kind in KINDS else "")
        for timer in due(history, now=at)
        if timer.kind != THREAD and advance(history, timer, at=at)
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
