"""What of all runs still waits: ops that a paused run proposes and that nobody has applied."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from sqlalchemy import func, select

from pactkeeper.intent.records import RECOMMENDATION_STATUSES, RecommendationStatus
from pactkeeper.ledger.decision import Verdict
from pactkeeper.store.applications import applied_in
from pactkeeper.store.decisions import decisions_of
from pactkeeper.store.history import History
from pactkeeper.store.tables import DECISIONS, OPS, PATCHES, RUNS


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


def undecided_ops(history: History, *, besides: str = "") -> int:
    """How many of the waiting ops nobody has decided about; the run `besides` is left out."""
    decided = select(DECISIONS.c.op).where(DECISIONS.c.patch == OPS.c.patch, DECISIONS.c.op == OPS.c.id)
    query = (
        select(func.count())
        .select_from(OPS)
        .join(PATCHES, PATCHES.c.number == OPS.c.patch)
        .join(RUNS, (RUNS.c.patch == PATCHES.c.id) & (RUNS.c.repository == PATCHES.c.repository))
        .where(RUNS.c.repository == history.repository, RUNS.c.status == "paused", RUNS.c.id != besides)
        .where(~decided.exists())
    )
    with history.database.read() as connection:
        return connection.execute(query).scalar_one()
