"""Reconciliations of conversations with boards: each proposal, and people's answers to its questions."""

from __future__ import annotations

from sqlalchemy import select

from pactkeeper.intent.actions import ActionProposal, decode_proposal, encode_proposal
from pactkeeper.ledger.question import Answer
from pactkeeper.store.history import History, insert
from pactkeeper.store.tables import RECONCILIATIONS, SETTLEMENTS

_r, _s = RECONCILIATIONS.c, SETTLEMENTS.c


def save_reconciliation(history: History, proposal: ActionProposal) -> None:
    """Store a proposal as the newest; earlier ones are kept."""
    row = {"repository": history.repository, "id": proposal.id, "at": proposal.at, "text": encode_proposal(proposal)}
    with history.database.begin() as connection:
        insert(connection, RECONCILIATIONS, [row])


def find_reconciliation(history: History) -> ActionProposal | None:
    """Return the newest proposal, or None."""
    query = select(_r.text).where(_r.repository == history.repository).order_by(_r.number.desc()).limit(1)
    with history.database.read() as connection:
        text: str | None = connection.execute(query).scalar()
    return None if text is None else decode_proposal(text)


def save_settlement(history: History, answer: Answer) -> None:
    """Store an answer to a proposal's question; a later answer supersedes it, and the earlier is kept."""
    row = {"question": answer.question, "value": answer.value, "answerer": answer.answerer}
    with history.database.begin() as connection:
        insert(connection, SETTLEMENTS, [{"repository": history.repository, **row, "by": answer.by, "at": answer.at}])


def settlements(history: History) -> dict[str, Answer]:
    """Return the current answer to each answered question."""
    query = select(SETTLEMENTS).where(_s.repository == history.repository).order_by(_s.number)
    with history.database.read() as connection:
        return {
            row.question: Answer(row.question, row.value, row.answerer, row.by, row.at)
            for row in connection.execute(query)
        }
