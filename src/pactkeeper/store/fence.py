"""The fence around a job: whoever runs it may write only while the queue says that the job is theirs.

The queue (DBOS) gives every execution of a job a token and takes it away when the job is handed over, cancelled or
late. Holding the job's row until the transaction ends makes the check and the write one act: who takes the job over
waits for the row, and whoever comes later finds the token gone.
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
_LOOK: Final = 2.0  # seconds between two looks at whose a job is


@dataclass(frozen=True, slots=True)
class Fence:
    """One execution of a job: its id, the token of this execution, and the database of the queue."""

    job: str
    token: str
    url: str = field(repr=False)

    @classmethod
    def of(cls, text: str, url: str | None) -> Self | None:
        """Read `JOB TOKEN`, as a worker gives it to the process of a job; None where this process runs none."""
        job, _, token = text.partition(" ")
        return cls(job, token, url) if token and url else None

    def ensure(self, connection: Connection) -> None:
        """Hold the job until the transaction of this connection ends; raises HandedOver where it is another's."""
        if connection.execute(_OWN, {"job": self.job, "token": self.token}).scalar() is None:
            raise HandedOver(
                f"job {self.job} was handed to another worker, or cancelled; nothing more is written by this one"
            )

    def wait_until_lost(self) -> None:
        """Return once the job is another's; while the database is away nobody can tell, and nothing can be written."""
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
        """Hold the job while something is written elsewhere than in its database."""
        place = address(self.url)
        engine = make_engine(place, _PATIENCE, session=job_session(self.token))
        try:
            with translated(place), engine.begin() as connection:
                self.ensure(connection)
                yield
        finally:
            engine.dispose()


def job_session_of(fence: Fence | None) -> str:
    """What the sessions of this process are called where it runs a job; empty elsewhere."""
    return job_session(fence.token) if fence else ""
