"""The history of one repository: what every function of this room is about."""

from __future__ import annotations

from dataclasses import dataclass

from pactkeeper.store.database import Database


@dataclass(frozen=True, slots=True)
class History:
    """One repository's rows of a database; `repository` is the same in every clone and worktree of it."""

    database: Database
    repository: str
