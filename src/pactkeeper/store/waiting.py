"""What of all runs still waits: ops that a paused run proposes and that nobody has applied."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, func, select

from pactkeeper.intent.records import RECOMMENDATION_STATUSES, RecommendationStatus
from pactkeeper.ledger.decision import Verdict
from pactkeeper.ledger.op import Op
from pactkeeper.store.applications import applied_in
from pactkeeper.store.decisions import WITHDRAWN, decisions_of, holds
from pactkeeper.store.history import History
from pactkeeper.store.tables import DECISIONS, OPS, PATCHES, RUN_PATCHES, RUNS


def waiting_ops(history: History) -> frozenset[str]:
    """The ids of ops in the patches of paused runs that are not applied, decided or not."""
    query = (
        select(OPS.c.id)
        .join(PATCHES, PATCHES.c.number == OPS.c.patch)
        .join(RUNS, (RUNS.c.patch == PATCHES.c.id) & (RUNS.c.repository == PATCHES.c.repository))
        .where(RUNS.c.repository == history.repository, RUNS.c.status == "paused")
    )
    with history.database.read() as connection:
        found = frozenset(connection.execute(query).scalars())
        return found - applied_in(connection, history)


def atoms_created(history: History, run: str) -> int:
    """How many atoms that a run proposed, in any of its patches, were applied and not taken back."""
    query = (
        select(OPS.c.id)
        .join(RUN_PATCHES, RUN_PATCHES.c.patch == OPS.c.patch)
        .join(RUNS, RUNS.c.number == RUN_PATCHES.c.run)
        .where(RUNS.c.repository == history.repository, RUNS.c.id == run, OPS.c.verb == "createAtom")
    )
    with history.database.read() as connection:
        return len(frozenset(connection.execute(query).scalars()) & applied_in(connection, history))


def proposed_by_waiting(history: History) -> tuple[Op, ...]:
    """The ops of paused runs that are not applied, as far as a look at their targets needs them."""
    open_now = waiting_ops(history)
    query = (
        select(OPS.c.text)
        .join(PATCHES, PATCHES.c.number == OPS.c.patch)
        .join(RUNS, (RUNS.c.patch == PATCHES.c.id) & (RUNS.c.repository == PATCHES.c.repository))
        .where(RUNS.c.repository == history.repository, RUNS.c.status == "paused", OPS.c.id.in_(open_now))
    )
    with history.database.read() as connection:
        texts = [json.loads(text) for text in connection.execute(query).scalars()]
    return tuple(
        Op(one["verb"], one["target"], one["precondition"], one["payload"], group=one["group"]) for one in texts
    )


def fates(history: History, patch: str, applied: frozenset[str]) -> Mapping[str, int]:
    """How many ops of a patch wait, were accepted, rejected or are among the `applied` ones, in that order.

    Raises InputError for an unknown patch.
    """
    verdicts = {one.op: one.verdict for one in decisions_of(history, patch)}
    query = (
        select(OPS.c.id)
        .join(PATCHES, PATCHES.c.number == OPS.c.patch)
        .where(PATCHES.c.repository == history.repository, PATCHES.c.id == patch)
    )
    with history.database.read() as connection:
        ops = connection.execute(query).scalars().all()
    counted = Counter(_fate(verdicts.get(op), applied=op in applied) for op in ops)
    return {fate: counted[fate] for fate in RECOMMENDATION_STATUSES if counted[fate]}


def _fate(verdict: Verdict | None, *, applied: bool) -> RecommendationStatus:
    """An op that was edited is applied under another id, so its own counts as accepted."""
    if applied:
        return "applied"
    if verdict is None:
        return "pending"
    return "rejected" if verdict == "reject" else "accepted"


def open_ops(history: History) -> Mapping[str, frozenset[str]]:
    """By waiting run the ids of its ops that nobody has decided, without those that a newer run replaced.

    A newer run replaces what an older one proposes about a test by proposing something else about it.
    """
    found: dict[str, set[str]] = {}
    for row in _open(history):
        members = found.setdefault(row.name, set())
        if row.open:
            members.add(row.id)
    return {name: frozenset(members) for name, members in found.items()}


def open_ops_by_test(history: History) -> Mapping[str, tuple[str, ...]]:
    """The ids of the ops that nobody has decided, by the test that they are about."""
    found: dict[str, list[str]] = {}
    for row in _open(history):
        if row.open:
            found.setdefault(json.loads(row.text)["group"], []).append(row.id)
    return {test: tuple(ops) for test, ops in found.items()}


@dataclass(frozen=True, slots=True)
class _Waiting:
    """An op of a waiting run, by the run's name; `open` where nobody decided and no newer run replaced it."""

    name: str
    id: str
    text: str
    open: bool


def _open(history: History) -> Iterator[_Waiting]:
    decided = select(DECISIONS.c.op).where(DECISIONS.c.patch == OPS.c.patch, DECISIONS.c.op == OPS.c.id)
    decided = decided.where(holds(), DECISIONS.c.verdict != WITHDRAWN)
    rows = _ops_since_the_oldest_that_waits(history).add_columns(decided.exists().label("decided"), OPS.c.text)
    newest: dict[str, int] = {}
    with history.database.read() as connection:
        for row in connection.execute(rows):
            later = newest.setdefault(row.test_key, row.run) if row.test_key else row.run
            if row.status == "paused":
                yield _Waiting(row.name, row.id, row.text, later == row.run and not row.decided)


def _ops_since_the_oldest_that_waits(history: History) -> Select[Any]:
    """The ops of waiting runs and of all runs after the first of them, newest first."""
    first = select(func.min(RUNS.c.number)).where(RUNS.c.repository == history.repository, RUNS.c.status == "paused")
    return (
        select(RUNS.c.number.label("run"), RUNS.c.id.label("name"), RUNS.c.status, OPS.c.id, OPS.c.test_key)
        .select_from(OPS)
        .join(PATCHES, PATCHES.c.number == OPS.c.patch)
        .join(RUNS, (RUNS.c.patch == PATCHES.c.id) & (RUNS.c.repository == PATCHES.c.repository))
        .where(RUNS.c.repository == history.repository, RUNS.c.number >= first.scalar_subquery())
        .where(RUNS.c.status.in_(("paused", "completed")))
        .order_by(RUNS.c.number.desc(), OPS.c.position)
    )


def undecided_ops(history: History, *, besides: str = "") -> int:
    """How many ops wait for a decision; the run `besides` is left out."""
    return sum(len(members) for name, members in open_ops(history).items() if name != besides)
