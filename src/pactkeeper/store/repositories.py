"""The repositories of a server: their origin, their members, and the highest role anybody has in them."""

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

    If `shared`, every account may use it, else only its members; `most` caps everyone's role in it. `commit` is what
    was last fetched, `trouble` why the last fetch failed.
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
    """Add a repository; raises UsageError if the name is taken."""
    with database.begin() as connection:
        if connection.execute(select(_r.name).where(_r.name == repository.name)).first() is not None:
            raise UsageError(f"there is a repository {repository.name!r} already; choose another name")
        row = {name: getattr(repository, name) for name in Registered.__slots__}
        insert_new(
            connection, SERVER_REPOSITORIES, [row | {"partial": int(row["partial"]), "shared": int(row["shared"])}]
        )


def repositories(database: Database) -> tuple[Registered, ...]:
    """Return every repository, by name."""
    return _found(database)


def repository_named(database: Database, name: str) -> Registered:
    """Return the repository with this name; raises UsageError if there is none."""
    found = _found(database, _r.name == name)
    if not found:
        raise UsageError(f"this server has no repository {name!r}; pk repos list names all")
    return found[0]


def forget(database: Database, name: str) -> None:
    """Remove a repository and its members; its history stays."""
    with database.begin() as connection:
        connection.execute(delete(MEMBERS).where(_m.server_repository == name))
        connection.execute(delete(SERVER_REPOSITORIES).where(_r.name == name))


def note_fetch(database: Database, name: str, *, at: str, commit: str = "", trouble: str = "") -> None:
    """Record the result of the last fetch, or why it failed."""
    seen = {"fetched_at": at, "trouble": trouble, **({"commit": commit} if commit else {})}
    with database.begin() as connection:
        connection.execute(update(SERVER_REPOSITORIES).where(_r.name == name).values(seen))


def set_member(database: Database, name: str, account: str, role: Role | None) -> None:
    """Give an account a role in a repository, or remove it with None."""
    row = {"server_repository": name, "account": account, "role": role}
    with database.begin() as connection:
        if role is None:
            connection.execute(delete(MEMBERS).where(_m.server_repository == name, _m.account == account))
        else:
            upsert(connection, MEMBERS, [row], key=("server_repository", "account"))


def members(database: Database, name: str) -> Mapping[str, Role]:
    """Return the members of a repository with their roles, by account."""
    query = select(_m.account, _m.role).where(_m.server_repository == name).order_by(_m.account)
    with database.read() as connection:
        return {account: cast("Role", role) for account, role in connection.execute(query)}


def member_role(database: Database, name: str, account: str) -> Role | None:
    """Return an account's own role in a repository, or None."""
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
