"""What a server keeps for a team, opened for one command or for as long as it serves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from pactkeeper.errors import UsageError
from pactkeeper.repo.fetching import Network
from pactkeeper.settings import Environment, environment
from pactkeeper.store.audit import AuditEntry, record
from pactkeeper.store.database import Database, sqlite_url
from pactkeeper.store.shared import database_at

FOLDER, FILE, SHELVES = "server", "team.db", "repositories"
TERMINAL: Final = "terminal"


@dataclass(frozen=True, slots=True)
class Actor:
    """Who administers: an account and how it came in, or the terminal."""

    account: str = ""
    kind: str = TERMINAL
    address: str = ""


@dataclass(frozen=True, slots=True)
class Team:
    """The database of accounts, tokens, audit and repositories, and the folder of what is fetched."""

    database: Database
    folder: Path
    network: Network = field(default_factory=Network)
    now: Callable[[], datetime] = field(default=lambda: datetime.now(UTC))
    actor: Actor = field(default_factory=Actor)

    @property
    def at(self) -> str:
        """This moment as it is kept."""
        return self.now().isoformat(timespec="seconds")

    def shelf(self, name: str) -> Path:
        """Where what belongs to a repository is kept."""
        return self.folder / SHELVES / name

    def note(self, action: str, subject: str, outcome: str = "done") -> None:
        """Keep in the audit log what was done."""
        who = self.actor
        record(self.database, AuditEntry(self.at, who.account, who.kind, action, subject, outcome, who.address))


@contextmanager
def open_team() -> Iterator[Team]:
    """Open it, made where it is missing; raises UsageError where there is no home folder and none is named."""
    surroundings = environment()
    folder = _folder(surroundings)
    with database_at(surroundings.database_url or sqlite_url(folder / FILE)) as database:
        yield Team(database, folder, Network(credentials=surroundings.credentials))


def _folder(surroundings: Environment) -> Path:
    if surroundings.personal is None:
        raise UsageError("there is no folder to keep a server's data in; set XDG_DATA_HOME, or HOME")
    folder = surroundings.personal / FOLDER
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder
