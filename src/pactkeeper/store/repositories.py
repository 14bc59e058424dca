"""The repositories that a server has: where they come from, who their members are, and the most that one may do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from sqlalchemy import ColumnElement, Row, delete, select, update

from pactkeeper.errors import UsageError
from pactkeeper.ledger.roles import Role
from pactkeeper.store.database import Database
from pactkeeper.store.history import insert_new, upsert
from pactkeeper.store.tables import MEMBERS, SERVER_REPOSITORIES

_r, _m = SERVER_REPOSITORIES.c, MEMBERS.c


@dataclass(frozen=True, slots=True)
class Registered:
    """A repository of a server; `place` is a folder or a URL.

    Every account may use it where `shared`, else its members alone; `most` caps what anybody may do in it. `commit` is
    what was fetched last, `trouble` why the last fetch failed.
    """

    name: str
    place: str
    depth: int = 0
    partial: bool = False
    shared: bool = True
    most: Role = "admin"
    added_at: str = ""
    fetched_at: str = ""
    commit: str = ""
    trouble: str = ""


def register(database: Database, repository: Registered) -> None:
    """Add a repository; raises UsageError where the name is taken."""
    with database.begin() as connection:
        if connection.execute(select(_r.name).where(_r.name == repository.name)).first() is not None:
            raise UsageError(f"there is a repository {repository.name!r} already; choose another name")
        row = {name: getattr(repository, name) for name in Registered.__slots__}
        insert_new(
            connection, SERVER_REPOSITORIES, [row | {"partial": int(row["partial"]), "shared": int(row["shared"])}]
        )


def repositories(database: Database) -> tuple[Registered, ...]:
    """Every repository, by name."""
    return _found(database)


def repository_named(database: Database, name: str) -> Registered:
    """The repository of that name; raises UsageError."""
    found = _found(database, _r.name == name)
    if not found:
        raise UsageError(f"this server has no repository {name!r}; pk repos list names all")
    return found[0]


def forget(database: Database, name: str) -> None:
    """Remove a repository and its members; what its history says stays."""
    with database.begin() as connection:
        connection.execute(delete(MEMBERS).where(_m.server_repository == name))
        connection.execute(delete(SERVER_REPOSITORIES).where(_r.name == name))


def note_fetch(database: Database, name: str, *, at: str, commit: str = "", trouble: str = "") -> None:
    """Keep what the last fetch brought, or why it failed."""
    seen = {"fetched_at": at, "trouble": trouble, **({"commit": commit} if commit else {})}
    with database.begin() as connection:
        connection.execute(update(SERVER_REPOSITORIES).where(_r.name == name).values(seen))


def set_member(database: Database, name: str, account: str, role: Role | None) -> None:
    """Give an account a role in a repository, or with None none of its own."""
    row = {"server_repository": name, "account": account, "role": role}
    with database.begin() as connection:
        if role is None:
            connection.execute(delete(MEMBERS).where(_m.server_repository == name, _m.account == account))
        else:
            upsert(connection, MEMBERS, [row], key=("server_repository", "account"))


def members(database: Database, name: str) -> Mapping[str, Role]:
    """The members of a repository with their roles, by account."""
    query = select(_m.account, _m.role).where(_m.server_repository == name).order_by(_m.account)
    with database.read() as connection:
        return {account: cast("Role", role) for account, role in connection.execute(query)}


def member_role(database: Database, name: str, account: str) -> Role | None:
    """The role of its own that an account has in a repository."""
    query = select(_m.role).where(_m.server_repository == name, _m.account == account)
    with database.read() as connection:
        return cast("Role | None", connection.execute(query).scalar())


def _found(database: Database, *where: ColumnElement[bool]) -> tuple[Registered, ...]:
    query = select(SERVER_REPOSITORIES).where(*where).order_by(_r.name)
    with database.read() as connection:
        return tuple(_registered(row) for row in connection.execute(query))


def _registered(row: Row[tuple[object, ...]]) -> Registered:
    given = dict(row._mapping)  # noqa: SLF001 - SQLAlchemy's public name for it
    return Registered(**{**given, "partial": bool(given["partial"]), "shared": bool(given["shared"])})
