"""What a server stores for a team, opened for one command or for as long as it serves.

Also the verbs about a server's repositories: add, list, fetch, remove, and manage members.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import gettempdir
from typing import Final

from pactkeeper.errors import InputError, PactkeeperError, UsageError
from pactkeeper.jobs.job import HEAD, Job, kind_of
from pactkeeper.ledger.policy import ROLES, Principal, Role, role_in
from pactkeeper.repo.fetching import Network, Source, checked_name, checked_url, is_url
from pactkeeper.repo.origin import TREE, Mirror
from pactkeeper.settings import Environment, environment
from pactkeeper.store.database import AuditEntry, Database, audit, database_at, record, sqlite_url
from pactkeeper.store.team import (
    Registered,
    account_named,
    forget,
    member_role,
    members,
    note_fetch,
    register,
    repositories,
    repository_named,
    set_member,
)
from pactkeeper.workspace import Workspace, open_workspace

FOLDER, FILE, SHELVES = "server", "team.db", "repositories"
TERMINAL: Final = "terminal"


@dataclass(frozen=True, slots=True)
class Actor:
    """Who is administering: an account and how it signed in, or the terminal."""

    account: str = ""
    kind: str = TERMINAL
    address: str = ""


@dataclass(frozen=True, slots=True)
class Team:
    """The database of accounts, tokens, audit log and repositories, and the folder of fetched repositories."""

    database: Database
    folder: Path
    network: Network = field(default_factory=Network)
    now: Callable[[], datetime] = field(default=lambda: datetime.now(UTC))
    actor: Actor = field(default_factory=Actor)

    @property
    def at(self) -> str:
        """The current time, as stored."""
        return self.now().isoformat(timespec="seconds")

    def shelf(self, name: str) -> Path:
        """Return the folder for a repository's data."""
        return self.folder / SHELVES / name

    def note(self, action: str, subject: str, outcome: str = "done") -> None:
        """Record an action in the audit log."""
        who = self.actor
        record(self.database, AuditEntry(self.at, who.account, who.kind, action, subject, outcome, who.address))

    @contextmanager
    def noted(self, action: str, subject: str) -> Iterator[None]:
        """Store the changes made inside together with their audit entry, or neither."""
        with self.database.begin():
            yield
            self.note(action, subject)


@contextmanager
def open_team() -> Iterator[Team]:
    """Open the team's data, creating it if missing; raises UsageError if there is no home folder and none is named.

    Also if a setting would give all repositories one history, which shows each what others did.
    """
    surroundings = environment()
    if surroundings.repository:
        said = f"PACTKEEPER_REPOSITORY is {surroundings.repository!r}, which would give every repository of this server"
        raise UsageError(f"{said} the same history; unset it")
    folder = _folder(surroundings)
    with database_at(surroundings.database_url or sqlite_url(folder / FILE)) as database:
        yield Team(database, folder, Network(credentials=surroundings.credentials))


def _folder(surroundings: Environment) -> Path:
    if surroundings.personal is None:
        raise UsageError("there is no folder to keep a server's data in; set XDG_DATA_HOME, or HOME")
    folder = surroundings.personal / FOLDER
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def list_audit(team: Team, *, account: str = "", limit: int = 200) -> tuple[AuditEntry, ...]:
    """Return the latest audit entries, of one account or all."""
    return audit(team.database, account=account, limit=limit)


def add_repository(team: Team, wanted: Registered) -> Registered:
    """Register a repository by folder or URL and fetch it once; raises UsageError, GitFailed and RefusedError.

    If it cannot be fetched, nothing is registered. Nor if it would share its history with another repository and one of
    the two is closed to all but its members, who would not be the only ones to see what is known of it.
    """
    checked_name(wanted.name)
    if any(one.name == wanted.name for one in repositories(team.database)):
        raise UsageError(f"there is a repository {wanted.name!r} already; choose another name")
    place = checked_url(wanted.place) if is_url(wanted.place) else str(Path(wanted.place).resolve())
    if not is_url(place) and (wanted.depth or wanted.partial):
        raise UsageError(f"{place!r} is a folder and is not fetched; leave out --depth and --partial")
    found = replace(wanted, place=place, added_at=team.at)
    commit = mirror_of(team, found).refresh()
    twin = next((one for one in repositories(team.database) if _share(team, one, found)), None)
    if twin is not None and not (twin.shared and found.shared):
        mirror_of(team, found).bury()
        shutil.rmtree(team.shelf(found.name), ignore_errors=True)
        raise UsageError(
            f"{wanted.name!r} is a clone of what {twin.name!r} is, so both have one history and show what is known of "
            "either; a repository with members of its own needs an origin, or a server with a database, of its own"
        )
    with team.noted("repos add", wanted.name):
        register(team.database, replace(found, fetched_at=team.at, commit=commit))
    return repository_named(team.database, wanted.name)


def _share(team: Team, one: Registered, other: Registered) -> bool:
    """Whether two repositories have one history: one id in one database."""
    try:
        with (
            open_workspace(mirror_of(team, one).tree, notice=_unheard) as first,
            open_workspace(mirror_of(team, other).tree, notice=_unheard) as second,
        ):
            together = first.surroundings.database_url or first.state == second.state
            return bool(together) and first.identity == second.identity
    except PactkeeperError:  # its folder is gone, so nothing of it is shown
        return False


def _unheard(_: str) -> None:
    """Notices of repositories that are only compared are of no use."""


def list_repositories(team: Team) -> tuple[Registered, ...]:
    """List the server's repositories."""
    return repositories(team.database)


def fetch_repository(team: Team, name: str) -> Registered:
    """Fetch a repository now; a failure is recorded with it, and raised."""
    found = repository_named(team.database, name)
    try:
        commit = mirror_of(team, found).refresh()
    except PactkeeperError as error:
        note_fetch(team.database, name, at=team.at, trouble=str(error))
        raise
    note_fetch(team.database, name, at=team.at, commit=commit)
    return repository_named(team.database, name)


def push_repository(team: Team, name: str, author: str) -> str:
    """Push what was written to a fetched repository to a separate branch, and return its name."""
    found = repository_named(team.database, name)

    def pushed(branch: str) -> None:
        subject = f"{name} {branch}"
        if all((one.action, one.subject) != ("repos push", subject) for one in list_audit(team)):
            team.note("repos push", subject)

    return mirror_of(team, found).push("pact: what was accepted on the server", author, team.now(), pushed)


def remove_repository(team: Team, name: str) -> None:
    """Remove a repository from the server with everything fetched for it; a local folder is left alone."""
    found = repository_named(team.database, name)
    mirror = mirror_of(team, found)
    mirror.bury()
    with team.noted("repos remove", found.name):
        forget(team.database, found.name)
    shutil.rmtree(team.shelf(found.name), ignore_errors=True)


def change_member(team: Team, name: str, account: str, role: Role | None) -> Mapping[str, Role]:
    """Set or remove an account's role in a repository, and return its members. Raises UsageError."""
    repository_named(team.database, name)
    if role is not None and account_named(team.database, account) is None:
        raise UsageError(f"there is no account {account!r}; pk users list names all")
    if role == "admin":
        raise UsageError(f"admins are server-wide: pk users role {account} admin; members are {', '.join(ROLES[:3])}")
    with team.noted("repos member", f"{name} {account} {role or 'none'}"):
        set_member(team.database, name, account, role)
    return members(team.database, name)


def principal_in(team: Team, who: Principal, repository: Registered) -> Principal | None:
    """Return somebody's principal in one repository; None if they have no access."""
    own = member_role(team.database, repository.name, who.account)
    role = role_in(who.role, member=own, shared=repository.shared, most=repository.most)
    return None if role is None else replace(who, role=role)


def mirror_of(team: Team, repository: Registered) -> Mirror:
    """Return the git folder and worktrees of a repository."""
    shelf = team.shelf(repository.name)
    if is_url(repository.place):
        source = Source(repository.place, repository.depth, repository.partial)
        return Mirror.of_url(shelf, source, team.network)
    return Mirror.of_folder(shelf, Path(repository.place))


def repository_of(workspace: Workspace) -> str:
    """Return the name under which a server fetched this repository; empty for a local folder."""
    root, personal = workspace.repository.root, workspace.surroundings.personal
    shelves = None if personal is None else personal / FOLDER / SHELVES
    return root.parent.name if root.name == TREE and root.parent.parent == shelves else ""


def tree_of(name: str) -> Path:
    """Return this host's standing worktree of one of the server's repositories, fetching it if necessary."""
    with open_team() as team:
        mirror = mirror_of(team, repository_named(team.database, name))
        if not mirror.tree.is_dir():
            fetch_repository(team, name)
        return mirror.tree


@contextmanager
def folder_of(job: Job) -> Iterator[Path]:
    """Provide the folder that a job runs in: a temporary worktree, unless its kind only reads commits.

    Raises InputError if the repository is not on this host, and GitFailed.
    """
    if job.repository:
        with open_team() as team, _fetched(team, job) as folder:
            yield folder
        return
    place = Path(job.place)
    if not place.is_dir():
        raise InputError(f"{job.place!r} is not a folder on this host; run workers where it is, or use pk repos add")
    if not kind_of(job.kind).tree:
        yield place
        return
    caches = environment().caches or Path(gettempdir())
    mirror = Mirror.of_folder(caches / "jobs" / job.subject, place)
    mirror.bury()
    with mirror.job(job.commit or HEAD) as folder:
        yield folder


@contextmanager
def _fetched(team: Team, job: Job) -> Iterator[Path]:
    """Provide a worktree of one of the server's repositories at a job's commit, fetching it if necessary."""
    mirror = mirror_of(team, repository_named(team.database, job.repository))
    if job.commit in {"", HEAD} or not mirror.has(job.commit):
        fetch_repository(team, job.repository)
    with mirror.job(job.commit or HEAD) as folder:
        yield folder
