"""The verbs about accounts: add, list, change, disable, and sign in.

Passwords of accounts, as argon2id hashes.
"""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from typing import TYPE_CHECKING, Final

from pactkeeper.errors import MissingExtra, RefusedError, UsageError, how_to_install
from pactkeeper.ledger.roles import Role
from pactkeeper.operators.team import Team
from pactkeeper.store.accounts import (
    Account,
    Token,
    account_named,
    account_of_subject,
    accounts,
    add_account,
    change_account,
    drop_old_sessions,
    held_admins,
    keep_token,
    revoke,
)

if TYPE_CHECKING:
    from argon2 import PasswordHasher


SESSION: Final = timedelta(hours=12)
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9._@+-]{0,99}")
_PERSON: Final = re.compile(r"[^<>\x00-\x1f]{1,100} <[^<>\s@]{1,100}@[^<>\s@]{1,100}>")


@dataclass(frozen=True, slots=True)
class Claimed:
    """What a provider says of somebody: who they are there, and a mail address that it has verified."""

    subject: str
    mail: str


def add_user(team: Team, name: str, person: str, *, role: Role, password: str | None) -> Account:
    """Add an account; without a password its person comes in by the provider. Raises UsageError."""
    if _NAME.fullmatch(name) is None:
        raise UsageError(f"{name!r} is no name for an account; use lower-case letters, digits and . _ @ + -")
    if _PERSON.fullmatch(person) is None:
        raise UsageError(f"{person!r} does not name a person; write 'Ada Lovelace <ada@example.org>'")
    kept = "" if password is None else hashed(password)
    account = Account(name, person, role, kept, created_at=team.at)
    with team.noted("users add", f"{name} {role}"):
        add_account(team.database, account)
    return account


def list_users(team: Team) -> tuple[Account, ...]:
    """Every account."""
    return accounts(team.database)


def change_role(team: Team, name: str, role: Role) -> None:
    """Give an account another role; it holds at once, for its sessions and tokens as well."""
    with team.noted("users role", f"{name} {role}"):
        if role != "admin":
            _ensure_an_admin_stays(team, name)
        change_account(team.database, name, role=role)


def change_password(team: Team, name: str, password: str) -> None:
    """Give an account another password, and end its sessions and tokens."""
    kept = hashed(password)
    with team.noted("users password", name):
        change_account(team.database, name, password=kept)
        revoke(team.database, at=team.at, account=name)


def disable_user(team: Team, name: str) -> None:
    """Let an account in no more; its sessions and tokens end."""
    with team.noted("users disable", name):
        _ensure_an_admin_stays(team, name)
        change_account(team.database, name, disabled_at=team.at)
        revoke(team.database, at=team.at, account=name)


def enable_user(team: Team, name: str) -> None:
    """Let an account in again; it needs new tokens."""
    with team.noted("users enable", name):
        change_account(team.database, name, disabled_at="")


def sign_in(team: Team, name: str, password: str) -> str | None:
    """The secret of a new session; None for a wrong name or password, which takes as long."""
    account = account_named(team.database, name)
    known = matches("" if account is None else account.password, password)
    if account is None or not known or not account.enabled:
        team.note("sign in", name[:100], "refused")
        return None
    return _session(team, account)


def sign_in_claimed(team: Team, claimed: Claimed) -> str:
    """The secret of a new session for whom the provider vouches; raises RefusedError where they have no account.

    The first time the mail address tells which account it is, afterwards the subject alone.
    """
    account = account_of_subject(team.database, claimed.subject) or _by_mail(team, claimed)
    if account is None or not account.enabled:
        team.note("sign in", claimed.mail, "refused")
        raise RefusedError(f"{claimed.mail!r} has no account here; ask an admin for one")
    return _session(team, account)


def sign_out(team: Team, secret: str) -> None:
    """End a session."""
    revoke(team.database, at=team.at, secret=secret)


def _by_mail(team: Team, claimed: Claimed) -> Account | None:
    mail = f"<{claimed.mail}>".casefold()
    found = [one for one in accounts(team.database) if one.person.casefold().endswith(mail) and not one.subject]
    if len(found) != 1 or not claimed.mail:
        return None
    change_account(team.database, found[0].name, subject=claimed.subject)
    return account_named(team.database, found[0].name)


def _session(team: Team, account: Account) -> str:
    secret, ends = secrets.token_urlsafe(32), team.now() + SESSION
    drop_old_sessions(team.database, now=team.at)
    until = ends.isoformat(timespec="seconds")
    token = Token(secrets.token_hex(6), account.name, "", "session", account.role, "", team.at, until)
    with team.noted("sign in", account.name):
        keep_token(team.database, token, secret)
    return secret


def _ensure_an_admin_stays(team: Team, name: str) -> None:
    if held_admins(team.database) == {name}:
        raise UsageError(f"{name!r} is the only admin; make another one first: pk users role NAME admin")


SHORTEST, LONGEST = 12, 1000
# Somebody's hash, for names that nobody has: an answer takes as long for them.
_NOBODY: Final = "$argon2id$v=19$m=65536,t=3,p=4$ES4g2lB9SB3DjMCG5G29ug$fmoXovLV0pKMoRuysdBuZlwmVqi9igxxPhI4TxGsDEM"


def hashed(password: str) -> str:
    """The hash to keep; raises UsageError for a password that is too short, or too long to be one."""
    if not SHORTEST <= len(password) <= LONGEST:
        raise UsageError(f"a password has {SHORTEST} to {LONGEST:,} characters; this one has {len(password)}")
    return _hasher().hash(password)


def matches(kept: str, password: str) -> bool:
    """Whether this is the password; it takes as long where there is none."""
    from argon2.exceptions import InvalidHashError, VerificationError  # noqa: PLC0415 - an extra

    try:
        _hasher().verify(kept or _NOBODY, password[: LONGEST + 1])
    except (VerificationError, InvalidHashError):
        return False
    return bool(kept)


@cache
def _hasher() -> PasswordHasher:
    try:
        from argon2 import PasswordHasher  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        raise MissingExtra(f"passwords need a part that is not installed: {how_to_install('server')}") from error
    return PasswordHasher()
