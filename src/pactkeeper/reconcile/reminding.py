"""The timers that reconciliation sets: for a review nobody starts, and for the end of a snooze."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from pactkeeper.ledger.canonical import Run
from pactkeeper.ledger.finding import Finding
from pactkeeper.store.history import History
from pactkeeper.store.waiting import Timer, add_timer

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
