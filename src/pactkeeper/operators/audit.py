"""The verb that reads a server's audit log."""

from __future__ import annotations

from pactkeeper.operators.team import Team
from pactkeeper.store.audit import AuditEntry, audit


def list_audit(team: Team, *, account: str = "", limit: int = 200) -> tuple[AuditEntry, ...]:
    """The newest acts, of one account or of all."""
    return audit(team.database, account=account, limit=limit)
