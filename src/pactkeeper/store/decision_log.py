"""What was decided on ops of any patch, for people who ask who decided what when."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select

from pactkeeper.store.history import History
from pactkeeper.store.tables import DECISIONS, OPS, PATCHES


@dataclass(frozen=True, slots=True)
class DecidedOp:
    """One verdict on one op: what the op would do to which target, and the atoms that it is about."""

    at: str
    by: str
    verdict: str
    reason: str
    verb: str
    target: str
    atoms: tuple[str, ...]
    patch: str


def decided_ops(history: History, *, most: int) -> tuple[DecidedOp, ...]:
    """The latest decisions of a repository, the newest first."""
    query = (
        select(
            DECISIONS.c.decided_at,
            DECISIONS.c.decided_by,
            DECISIONS.c.verdict,
            DECISIONS.c.reason,
            OPS.c.verb,
            OPS.c.text,
            PATCHES.c.id,
        )
        .select_from(DECISIONS)
        .join(PATCHES, PATCHES.c.number == DECISIONS.c.patch)
        .join(OPS, (OPS.c.patch == DECISIONS.c.patch) & (OPS.c.id == DECISIONS.c.op))
        .where(PATCHES.c.repository == history.repository)
        .order_by(DECISIONS.c.number.desc())
        .limit(most)
    )
    with history.database.read() as connection:
        return tuple(_decided(*row) for row in connection.execute(query))


def _decided(*row: Any) -> DecidedOp:  # noqa: ANN401 - the columns of the query above
    at, by, verdict, reason, verb, text, patch = row
    op: dict[str, Any] = json.loads(text)
    payload = op["payload"]
    named = (payload.get(key) for key in ("atomId", "oldAtomId", "newAtomId"))
    return DecidedOp(at, by, verdict, reason, verb, op["target"], tuple(name for name in named if name), patch)
