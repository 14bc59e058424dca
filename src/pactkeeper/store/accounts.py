"""The accounts of a server, with the hash of a password or the subject that a provider knows them by."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import cast

from sqlalchemy import ColumnElement, select, update

from pactkeeper.errors import UsageError
from pactkeeper.ledger.roles import Role
from pactkeeper.store.bulk import insert_new
from pactkeeper.store.database import Database
from pactkeeper.store.tables import ACCOUNTS

_a = ACCOUNTS.c


@dataclass(frozen=True, slots=True)
class Account:
    """Somebody who may sign in; `person` is how the log names them, `subject` is empty or `ISSUER SUBJECT`."""

    name: str
    person: str
    role: Role
    password: str = field(default="", repr=False)
    subject: str = ""
    created_at: str = ""
    disabled_at: str = ""

    @property
    def enabled(self) -> bool:
        """Whether they are let in."""
        return not self.disabled_at


def add_account(database: Database, account: Account) -> None:
    """Add an account; raises UsageError where the name is taken."""
    with database.begin() as connection:
        if connection.execute(select(_a.name).where(_a.name == account.name)).first() is not None:
            raise UsageError(f"there is an account {account.name!r} already; choose another name")
        insert_new(connection, ACCOUNTS, [{name: getattr(account, name) for name in Account.__slots__}])


def accounts(database: Database) -> tuple[Account, ...]:
    """Every account, by name."""
    return _found(database)


def account_named(database: Database, name: str) -> Account | None:
    """The account of that name."""
    return next(iter(_found(database, _a.name == name)), None)


def account_of_subject(database: Database, subject: str) -> Account | None:
    """The account that a provider knows by this subject."""
    return next(iter(_found(database, _a.subject == subject)), None)


def change_account(database: Database, name: str, **changed: str) -> None:
    """Set columns of an account; raises UsageError where there is none of that name."""
    with database.begin() as connection:
        if not connection.execute(update(ACCOUNTS).where(_a.name == name).values(changed)).rowcount:
            raise UsageError(f"there is no account {name!r}; pk users list names all")


def _found(database: Database, *where: ColumnElement[bool]) -> tuple[Account, ...]:
    columns = (ACCOUNTS.c[name] for name in Account.__slots__)
    with database.read() as connection:
        rows = connection.execute(select(*columns).where(*where).order_by(_a.name)).all()
    return tuple(Account(*cast("tuple[str, str, Role]", tuple(row))) for row in rows)
