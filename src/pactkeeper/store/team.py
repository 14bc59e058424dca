"""A server's accounts, with a password hash or the subject a provider knows them by, and its repositories.

Also their tokens, stored as hashes: browser sessions, and the tokens of programs and coding agents.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final, Literal, cast

from sqlalchemy import ColumnElement, delete, select, update

from pactkeeper.errors import UsageError
from pactkeeper.ledger.policy import Role
from pactkeeper.store.columns import from_row, row_of
from pactkeeper.store.database import Database
from pactkeeper.store.history import insert_new, upsert
from pactkeeper.store.tables.team import ACCOUNTS, MEMBERS, SERVER_REPOSITORIES, TOKENS

_a = ACCOUNTS.c


@dataclass(frozen=True, slots=True)
class Account:
    """Somebody who may sign in; `person` is their name in the log, `subject` is empty or `ISSUER SUBJECT`."""

    name: str
    person: str
    role: Role
    password: str = field(default="", repr=False)
    subject: str = ""
    created_at: str = ""
    disabled_at: str = ""

    @property
    def enabled(self) -> bool:
        """Whether the account may sign in."""
        return not self.disabled_at


def add_account(database: Database, account: Account) -> None:
    """Add an account; raises UsageError if the name is taken."""
    with database.begin() as connection:
        if connection.execute(select(_a.name).where(_a.name == account.name)).first() is not None:
            raise UsageError(f"there is an account {account.name!r} already; choose another name")
        insert_new(connection, ACCOUNTS, [row_of(ACCOUNTS, account)])


def accounts(database: Database, *where: ColumnElement[bool]) -> tuple[Account, ...]:
    """Return every account, or those that meet the conditions, by name."""
    query = select(ACCOUNTS).where(*where).order_by(_a.name)
    return tuple(from_row(Account, row) for row in database.rows(query))


def held_admins(database: Database) -> frozenset[str]:
    """Return the names of enabled admins, locked against changes until the surrounding transaction ends."""
    found = select(_a.name).where(_a.role == "admin", _a.disabled_at == "").order_by(_a.name).with_for_update()
    with database.begin() as connection:
        return frozenset(connection.execute(found).scalars())


def account_named(database: Database, name: str) -> Account | None:
    """Return the account with this name, or None."""
    return next(iter(accounts(database, _a.name == name)), None)


def account_of_subject(database: Database, subject: str) -> Account | None:
    """Return the account with this subject at an identity provider, or None."""
    return next(iter(accounts(database, _a.subject == subject)), None)


def change_account(database: Database, name: str, **changed: str) -> None:
    """Set columns of an account; raises UsageError for an unknown name."""
    with database.begin() as connection:
        if not connection.execute(update(ACCOUNTS).where(_a.name == name).values(changed)).rowcount:
            raise UsageError(f"there is no account {name!r}; pk users list names all")


TokenKind = Literal["session", "program", "agent"]
_t = TOKENS.c


@dataclass(frozen=True, slots=True)
class Token:
    """A credential of an account: at most with this role, in one repository if it names one, until it expires."""

    id: str
    account: str
    label: str
    kind: TokenKind
    role: Role
    repository: str
    created_at: str
    expires_at: str
    revoked_at: str = ""


_COLUMNS: Final = tuple("server_repository" if name == "repository" else name for name in Token.__slots__)


def hash_of(secret: str) -> str:
    """Return the hash of a secret; secrets are long and random, so a plain hash is enough."""
    return sha256(secret.encode()).hexdigest()


def keep_token(database: Database, token: Token, secret: str) -> None:
    """Store a token by the hash of its secret."""
    row = row_of(TOKENS, token, hash=hash_of(secret), server_repository=token.repository)
    with database.begin() as connection:
        insert_new(connection, TOKENS, [row])


def token_of_secret(database: Database, secret: str, *, now: str) -> tuple[Token, Account] | None:
    """Return the token and its account; None if it is unknown, revoked or expired, or the account is disabled."""
    tokens = [TOKENS.c[name] for name in _COLUMNS]
    owner = [ACCOUNTS.c[name].label(f"a_{name}") for name in Account.__slots__]
    query = (
        select(*tokens, *owner)
        .join(ACCOUNTS, ACCOUNTS.c.name == _t.account)
        .where(_t.hash == hash_of(secret), _t.revoked_at == "", _t.expires_at > now, ACCOUNTS.c.disabled_at == "")
    )
    row = database.first(query)
    if row is None:
        return None
    parts: tuple[Any, ...] = tuple(row)
    return Token(*parts[: len(_COLUMNS)]), Account(*parts[len(_COLUMNS) :])


def tokens(database: Database, account: str = "") -> tuple[Token, ...]:
    """Return the tokens of programs and agents, of one account or all, newest first; sessions are left out."""
    where: list[ColumnElement[bool]] = [_t.kind != "session", *([_t.account == account] if account else [])]
    query = select(*(TOKENS.c[name] for name in _COLUMNS)).where(*where).order_by(_t.created_at.desc(), _t.id)
    rows = cast("Sequence[tuple[Any, ...]]", database.rows(query))
    return tuple(Token(*row) for row in rows)


def revoke(database: Database, *, at: str, token: str = "", secret: str = "", account: str = "") -> int:
    """Revoke one token by id or secret, or all of an account, and return how many."""
    which = _t.id == token if token else _t.hash == hash_of(secret) if secret else _t.account == account
    with database.begin() as connection:
        return connection.execute(update(TOKENS).where(which, _t.revoked_at == "").values(revoked_at=at)).rowcount


def drop_old_sessions(database: Database, *, now: str) -> None:
    """Delete expired sessions."""
    database.execute(delete(TOKENS).where(_t.kind == "session", _t.expires_at <= now))


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
        flags = {"partial": int(repository.partial), "shared": int(repository.shared)}
        insert_new(connection, SERVER_REPOSITORIES, [row_of(SERVER_REPOSITORIES, repository, **flags)])


def repositories(database: Database, *where: ColumnElement[bool]) -> tuple[Registered, ...]:
    """Return every repository, or those that meet the conditions, by name."""
    rows = database.rows(select(SERVER_REPOSITORIES).where(*where).order_by(_r.name))
    return tuple(from_row(Registered, row, partial=bool(row.partial), shared=bool(row.shared)) for row in rows)


def repository_named(database: Database, name: str) -> Registered:
    """Return the repository with this name; raises UsageError if there is none."""
    found = repositories(database, _r.name == name)
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
    database.execute(update(SERVER_REPOSITORIES).where(_r.name == name).values(seen))


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
    return {account: cast("Role", role) for account, role in database.rows(query)}


def member_role(database: Database, name: str, account: str) -> Role | None:
    """Return an account's own role in a repository, or None."""
    query = select(_m.role).where(_m.server_repository == name, _m.account == account)
    return cast("Role | None", database.scalar(query))
