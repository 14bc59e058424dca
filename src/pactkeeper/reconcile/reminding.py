"""The timers that reconciliation sets: for a review that nobody takes up, and for the end of a snooze."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from pactkeeper.ledger.canonical import Run
from pactkeeper.ledger.finding import Finding
from pactkeeper.store.history import History
from pactkeeper.store.timers import Timer, add_timer

REVIEW: Final = "review_waits"
SNOOZE: Final = "snooze_ends"
PATIENCE: Final = timedelta(days=3)


def remind_of_review(history: History, run: Run, *, now: datetime) -> None:
    """Remind once of a run that waits for a person, three days after it first paused."""
    at = (now + PATIENCE).isoformat(timespec="milliseconds")
    add_timer(history, Timer(f"{REVIEW} {run.id}", REVIEW, run.id, at))


def tell_end_of_snooze(history: History, finding: Finding, *, until: str) -> None:
    """Say when a snooze has ended; `until` is ISO 8601 with offset."""
    name = f"{SNOOZE} {finding.fingerprint} {until}"
    add_timer(history, Timer(name, SNOOZE, finding.subject, until, {"code": finding.code}))
