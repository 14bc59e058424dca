"""The lease on one thread of people's messages: one run at a time, and that of a dead process is free at once."""

from __future__ import annotations

from pathlib import Path

from pactkeeper.store import file_lease, session_lease
from pactkeeper.store.history import History
from pactkeeper.store.lease import Held


def take_thread(history: History, thread: str, *, folder: Path) -> Held | None:
    """Take the lease on a thread, whose own folder `folder` is; None where somebody else has it."""
    if history.database.address.path:
        return file_lease.take(folder)
    return session_lease.take(history.database, f"{history.repository} thread {thread}")
