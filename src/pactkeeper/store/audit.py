"""The audit log of a server: who did what to what, when, from where, and what became of it. Rows are only added."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import select, update

from pactkeeper.store.database import Database
from pactkeeper.store.tables import AUDIT

_e = AUDIT.c


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One act; `kind` is how the account came in: person, program, agent, or terminal for who administers by it."""

    at: str
    account: str
    kind: str
    action: str
    subject: str
    outcome: str
    address: str = ""


def record(database: Database, entry: AuditEntry) -> int:
    """Add a row; its number."""
    row = {name: getattr(entry, name) for name in AuditEntry.__slots__}
    with database.begin() as connection:
        key = connection.execute(AUDIT.insert().values(row)).inserted_primary_key
        return int(key[0]) if key else 0


def conclude(database: Database, number: int, outcome: str) -> None:
    """Say what became of an act that was recorded when it began."""
    with database.begin() as connection:
        connection.execute(update(AUDIT).where(_e.number == number).values(outcome=outcome))


def audit(database: Database, *, account: str = "", limit: int = 200) -> tuple[AuditEntry, ...]:
    """The newest acts, of one account or of all."""
    where = [_e.account == account] if account else []
    columns = (AUDIT.c[name] for name in AuditEntry.__slots__)
    query = select(*columns).where(*where).order_by(_e.number.desc()).limit(limit)
    with database.read() as connection:
        return tuple(AuditEntry(*row) for row in connection.execute(query))
