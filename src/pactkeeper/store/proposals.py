"""What agents propose to decide about a patch: kept beside the decisions, and never one of them."""

from __future__ import annotations

from sqlalchemy import select

from pactkeeper.ledger.decision import Review, decode_review, encode_review
from pactkeeper.store.history import History
from pactkeeper.store.tables import PROPOSALS

_p = PROPOSALS.c


def save_proposal(history: History, patch: str, review: Review) -> None:
    """Store what is proposed for the patch of that id in place of what was; the earlier ones are kept."""
    row = {"repository": history.repository, "patch": patch, "text": encode_review(review)}
    with history.database.begin() as connection:
        connection.execute(PROPOSALS.insert().values(row))


def proposal_of(history: History, patch: str) -> Review | None:
    """What is proposed for the patch of that id; None where no agent said anything."""
    query = (
        select(_p.text)
        .where(_p.repository == history.repository, _p.patch == patch)
        .order_by(_p.number.desc())
        .limit(1)
    )
    with history.database.read() as connection:
        text: str | None = connection.execute(query).scalar()
    return None if text is None else decode_review(text)
