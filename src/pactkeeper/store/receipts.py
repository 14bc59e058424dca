"""Receipts: what a job has stored, written in the transaction that stored it, so that it is not stored twice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, select

from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.store.bulk import insert_new
from pactkeeper.store.database import Database
from pactkeeper.store.tables import JOB_RECEIPTS


def leave_receipt(connection: Connection, database: Database, said: Mapping[str, JsonValue]) -> None:
    """Note that the job of this process has done what it was for; nothing where this process runs no job."""
    if database.fence is not None and database.address.path is None:
        insert_new(connection, JOB_RECEIPTS, [{"job": database.fence.job, "said": dict(said)}])


def receipt_of(database: Database, job: str) -> Mapping[str, Any] | None:
    """What a job has stored; None where it has not come that far, or stores nothing that needs a receipt."""
    with database.read() as connection:
        found: Mapping[str, Any] | None = connection.execute(
            select(JOB_RECEIPTS.c.said).where(JOB_RECEIPTS.c.job == job)
        ).scalar()
    return found
