"""The fence around a job: a process may write only while the queue says that the job is its own.

The queue (DBOS) gives every execution of a job a token, and removes it when the job is handed over, cancelled or
overdue. Locking the job's row until the transaction ends makes check and write atomic: a process taking over waits for
the row, and one that has lost the job finds its token gone.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Final, Self

from sqlalchemy import Connection, text

from pactkeeper.errors import BusyError, HandedOver, StoreUnavailable
from pactkeeper.store.address import address
from pactkeeper.store.failures import translated
from pactkeeper.store.owner import job_session, make_engine

_OWN: Final = text("SELECT 1 FROM dbos.workflow_status WHERE workflow_uuid = :job AND owner_xid = :token FOR SHARE")
_PATIENCE: Final = 30.0
_LOOK: Final = 2.0  # seconds between checks of who holds the job


@dataclass(frozen=True, slots=True)
class Fence:
    """One execution of a job: its id, its token, and the queue's database."""

    job: str
    token: str
    url: str = field(repr=False)

    @classmethod
    def of(cls, text: str, url: str | None) -> Self | None:
        """Parse `JOB TOKEN`, as a worker passes it to a job's process; None if this process runs no job."""
        job, _, token = text.partition(" ")
        return cls(job, token, url) if token and url else None

    def ensure(self, connection: Connection) -> None:
        """Lock the job until the connection's transaction ends; raises HandedOver if the job was lost."""
        if connection.execute(_OWN, {"job": self.job, "token": self.token}).scalar() is None:
            raise HandedOver(
                f"job {self.job} was handed to another worker, or cancelled; nothing more is written by this one"
            )

    def wait_until_lost(self) -> None:
        """Return once the job is lost; while the database is away nobody can tell, and nothing can be written."""
        place = address(self.url)
        engine = make_engine(place, _PATIENCE)
        while True:
            time.sleep(_LOOK)
            with suppress(StoreUnavailable, BusyError), translated(place), engine.begin() as connection:
                try:
                    self.ensure(connection)
                except HandedOver:
                    return

    @contextmanager
    def held(self) -> Iterator[None]:
        """Lock the job while writing somewhere other than its database."""
        place = address(self.url)
        engine = make_engine(place, _PATIENCE, session=job_session(self.token))
        try:
            with translated(place), engine.begin() as connection:
                self.ensure(connection)
                yield
        finally:
            engine.dispose()


def job_session_of(fence: Fence | None) -> str:
    """Return the name of database sessions for this process's job; empty if it runs none."""
    return job_session(fence.token) if fence else ""
