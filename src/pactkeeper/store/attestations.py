"""Attestations, which CI or a person made about a commit, and test outcomes.

There is one outcome per test, commit and source of reports.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Final

from sqlalchemy import delete, func, select

from pactkeeper.intent.evidence_state import TestOutcomeRow
from pactkeeper.intent.invariants.rule import Seal
from pactkeeper.intent.results import FAILING
from pactkeeper.ledger.canonical import digest_bytes
from pactkeeper.store.columns import instant, just_after, key_of
from pactkeeper.store.history import History, insert_new, upsert
from pactkeeper.store.tables.runs import ATTESTATIONS, TEST_OUTCOMES


@dataclass(frozen=True, slots=True)
class Attestation:
    """A document about one commit as written, with its detached signature if it has one.

    `origin` says where it was made (such as `ci` or `local`), `by` who made it, `at` when (ISO 8601 with offset).
    """

    commit: str
    catalog_hash: str
    origin: str
    by: str
    at: str
    text: str
    signature: str = ""


_COLUMNS: Final = tuple("attested_by" if field.name == "by" else field.name for field in fields(Attestation))


def save_attestation(history: History, attestation: Attestation) -> None:
    """Store an attestation; idempotent."""
    with history.database.begin() as connection:
        insert_new(connection, ATTESTATIONS, [_row(history, attestation)])


def attestations(history: History, *, commit: str | None = None) -> tuple[Attestation, ...]:
    """Return all attestations, or those of one commit, latest first."""
    t = ATTESTATIONS.c
    query = (
        select(*(t[name] for name in _COLUMNS))
        .where(t.repository == history.repository)
        .order_by(t.instant.desc(), t.number.desc())
    )
    if commit is not None:
        query = query.where(t.commit == commit)
    return tuple(Attestation(*row) for row in history.database.rows(query))


def attestation_seals(history: History) -> Mapping[str, Seal]:
    """Return the hash each attestation had when it was stored, along with its current hash."""
    t = ATTESTATIONS.c
    query = select(t.commit, t.origin, t.at, t.hash, t.text, t.signature).where(t.repository == history.repository)
    return {
        f"attestation of {row.commit[:12]} ({row.origin}, {row.at})": Seal(row.hash, _hash(row.text, row.signature))
        for row in history.database.rows(query.order_by(t.number))
    }


def attested_commits(history: History) -> frozenset[str]:
    """Return the commits that have attestations, without reading these."""
    t = ATTESTATIONS.c
    query = select(t.commit).where(t.repository == history.repository).distinct()
    return frozenset(history.database.scalars(query))


def _hash(text: str, signature: str) -> str:
    return digest_bytes(f"{text}\n{signature}".encode())


def _row(history: History, one: Attestation) -> Mapping[str, Any]:
    sealed = {"hash": _hash(one.text, one.signature), "instant": instant(one.at)}
    return history.row(ATTESTATIONS, one, attested_by=one.by, **sealed)


def save_test_outcomes(history: History, rows: Iterable[TestOutcomeRow], *, newest: bool = False) -> None:
    """Store outcomes, all or none; a later one for the same test, commit and source replaces the earlier.

    If `newest`, they count as later than everything stored, even if the clock has been set back.
    """
    last = select(func.max(TEST_OUTCOMES.c.instant)).where(TEST_OUTCOMES.c.repository == history.repository)
    with history.database.begin() as connection:
        after = (connection.execute(last).scalar() if newest else None) or ""
        upsert(
            connection,
            TEST_OUTCOMES,
            (_outcome(history, row, after=after) for row in rows),
            key=("repository", "test_key", "commit", "source"),
        )


def _outcome(history: History, row: TestOutcomeRow, *, after: str) -> Mapping[str, Any]:
    known = instant(row.at)
    moment = known if known > after else just_after(after)
    return history.row(TEST_OUTCOMES, row, test_key=key_of(row.test_id), instant=moment)


def commits_of_outcomes(history: History) -> tuple[str, ...]:
    """Return the commits of which outcomes are stored, in order."""
    t = TEST_OUTCOMES.c
    query = select(t.commit).distinct().where(t.repository == history.repository, t.commit != "").order_by(t.commit)
    return tuple(row.commit for row in history.database.rows(query))


def latest_outcomes(history: History, *, apart: Collection[str] = ()) -> Mapping[str, TestOutcomeRow]:
    """Return the latest outcome of every test, across commits, but those `apart`, and sources, by test id."""
    t = TEST_OUTCOMES.c
    place = func.row_number().over(partition_by=t.test_key, order_by=(t.instant.desc(), t.number.desc()))
    columns = (t.test_id, t.body_hash, t.commit, t.outcome, t.at, t.source, t.file_blob)
    counting = (t.repository == history.repository, t.commit.not_in(apart))
    ranked = select(*columns, place.label("place")).where(*counting).subquery()
    query = select(*(ranked.c[column.name] for column in columns)).where(ranked.c.place == 1).order_by(ranked.c.test_id)
    return {row.test_id: TestOutcomeRow(*row) for row in history.database.rows(query)}


@dataclass(frozen=True, slots=True)
class TestTurn:
    """A run in which a test failed that had not failed in the run before; `passed` means that there was one."""

    test: str
    commit: str
    at: str
    source: str
    passed: bool


def test_turns(history: History) -> tuple[TestTurn, ...]:
    """Return where tests began to fail, oldest first."""
    t = TEST_OUTCOMES.c
    before = func.lag(t.outcome).over(partition_by=t.test_key, order_by=(t.instant, t.number)).label("before")
    columns = (t.test_id, t.commit, t.at, t.source, t.outcome, t.instant, t.number)
    runs = select(*columns, before).where(t.repository == history.repository).subquery().c
    turned = runs.outcome.in_(FAILING) & (runs.before.is_(None) | runs.before.not_in(FAILING))
    found = select(runs.test_id, runs.commit, runs.at, runs.source, runs.before).where(turned)
    rows = history.database.rows(found.order_by(runs.instant, runs.number))
    return tuple(TestTurn(row.test_id, row.commit, row.at, row.source, row.before is not None) for row in rows)


def forget_outcomes(history: History, *, keep: int) -> int:
    """Delete all but the latest `keep` outcomes of every test; return how many were deleted."""
    t = TEST_OUTCOMES.c
    place = func.row_number().over(partition_by=t.test_key, order_by=(t.instant.desc(), t.number.desc()))
    ranked = select(t.number, place.label("place")).where(t.repository == history.repository).subquery()
    old = delete(TEST_OUTCOMES).where(t.number.in_(select(ranked.c.number).where(ranked.c.place > keep)))
    with history.database.begin() as connection:
        return connection.execute(old).rowcount
