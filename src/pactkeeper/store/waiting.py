"""What of all runs still waits: ops that a paused run proposes and that nobody has applied."""

from __future__ import annotations

from sqlalchemy import func, select

from pactkeeper.store.applications import applied_in
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
