"""What became of tests when they ran: one outcome for a test, a commit and a source of reports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sqlalchemy import delete, func, select

from pactkeeper.intent.evidence_state import TestOutcomeRow
from pactkeeper.store.bulk import upsert
from pactkeeper.store.columns import key_of
from pactkeeper.store.history import History
from pactkeeper.store.instants import instant
from pactkeeper.store.tables import TEST_OUTCOMES


def save_test_outcomes(history: History, rows: Iterable[TestOutcomeRow]) -> None:
    """Store outcomes, all or none; a later one of the same test, commit and source replaces the earlier."""
    stored = (
        {
            "repository": history.repository,
            "test_key": key_of(row.test_id),
            "instant": instant(row.at),
            "test_id": row.test_id,
            "body_hash": row.body_hash,
            "file_blob": row.file_blob,
            "commit": row.commit,
            "outcome": row.outcome,
            "at": row.at,
            "source": row.source,
        }
        for row in rows
    )
    with history.database.begin() as connection:
        upsert(connection, TEST_OUTCOMES, stored, key=("repository", "test_key", "commit", "source"))


def latest_outcomes(history: History) -> Mapping[str, TestOutcomeRow]:
    """The outcome of every test by the latest time, whatever its commit and source; by test id."""
    t = TEST_OUTCOMES.c
    place = func.row_number().over(partition_by=t.test_key, order_by=(t.instant.desc(), t.number.desc()))
    columns = (t.test_id, t.body_hash, t.commit, t.outcome, t.at, t.source, t.file_blob)
    ranked = select(*columns, place.label("place")).where(t.repository == history.repository).subquery()
    query = select(*(ranked.c[column.name] for column in columns)).where(ranked.c.place == 1).order_by(ranked.c.test_id)
    with history.database.read() as connection:
        return {row.test_id: TestOutcomeRow(*row) for row in connection.execute(query)}


def forget_outcomes(history: History, *, keep: int) -> int:
    """Forget all but the latest outcomes of every test, `keep` of them; returns how many were forgotten."""
    t = TEST_OUTCOMES.c
    place = func.row_number().over(partition_by=t.test_key, order_by=(t.instant.desc(), t.number.desc()))
    ranked = select(t.number, place.label("place")).where(t.repository == history.repository).subquery()
    old = delete(TEST_OUTCOMES).where(t.number.in_(select(ranked.c.number).where(ranked.c.place > keep)))
    with history.database.begin() as connection:
        return connection.execute(old).rowcount
