"""Verbs about accounts (add, list, change, disable, sign in), their passwords and tokens.

Passwords are stored as argon2id hashes. Tokens are for programs and coding agents; a secret resolves to its principal.
"""

from __future__ import annotations

import hmac
import re
import secrets
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from pactkeeper.errors import MissingExtra, RefusedError, UsageError, how_to_install
from pactkeeper.ledger.policy import Kind, Principal, Role, lowest, reaches
from pactkeeper.operators.team import Team
from pactkeeper.store.team import (
    Account,
    Token,
    TokenKind,
    account_named,
    account_of_subject,
    accounts,
    add_account,
    change_account,
    drop_old_sessions,
    held_admins,
    keep_token,
    repository_named,
    revoke,
    token_of_secret,
    tokens,
)

if TYPE_CHECKING:
    from argon2 import PasswordHasher


SESSION: Final = timedelta(hours=12)
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9._@+-]{0,99}")
_PERSON: Final = re.compile(r"[^<>\x00-\x1f]{1,100} <[^<>\s@]{1,100}@[^<>\s@]{1,100}>")


@dataclass(frozen=True, slots=True)
class Claimed:
    """What a provider asserts about somebody: their subject there, and a mail address it has verified."""

    subject: str
    mail: str


def add_user(team: Team, name: str, person: str, *, role: Role, password: str | None) -> Account:
    """Add an account; without a password its person signs in through the provider. Raises UsageError."""
    if _NAME.fullmatch(name) is None:
        raise UsageError(f"{name!r} is not a valid account name; use lower-case letters, digits and . _ @ + -")
    if _PERSON.fullmatch(person) is None:
        raise UsageError(f"{person!r} does not name a person; write 'Ada Lovelace <ada@example.org>'")
    kept = "" if password is None else hashed(password)
    account = Account(name, person, role, kept, created_at=team.at)
    with team.noted("users add", f"{name} {role}"):
        add_account(team.database, account)
    return account


def list_users(team: Team) -> tuple[Account, ...]:
    """List every account."""
    return accounts(team.database)


def change_role(team: Team, name: str, role: Role) -> None:
    """Change an account's role; it takes effect immediately, for its sessions and tokens as well."""
    with team.noted("users role", f"{name} {role}"):
        if role != "admin":
            _ensure_an_admin_stays(team, name)
        change_account(team.database, name, role=role)


def change_password(team: Team, name: str, password: str) -> None:
    """Change an account's password, and end its sessions and tokens."""
    kept = hashed(password)
    with team.noted("users password", name):
        change_account(team.database, name, password=kept)
        revoke(team.database, at=team.at, account=name)


def disable_user(team: Team, name: str) -> None:
    """Disable an account; its sessions and tokens end."""
    with team.noted("users disable", name):
        _ensure_an_admin_stays(team, name)
        change_account(team.database, name, disabled_at=team.at)
        revoke(team.database, at=team.at, account=name)


def enable_user(team: Team, name: str) -> None:
    """Re-enable an account; it needs new tokens."""
    with team.noted("users enable", name):
        change_account(team.database, name, disabled_at="")


def sign_in(team: Team, name: str, password: str) -> str | None:
    """Return the secret of a new session; None for a wrong name or password, after the same time."""
    account = account_named(team.database, name)
    known = matches("" if account is None else account.password, password)
    if account is None or not known or not account.enabled:
        team.note("sign in", name[:100], "refused")
        return None
    return _session(team, account)


def sign_in_claimed(team: Team, claimed: Claimed) -> str:
    """Return the secret of a new session for a person the provider vouches for.

    The first sign-in matches the account by mail address, later ones by subject only. Raises RefusedError if they have
    no account.
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
# A real hash, verified for unknown names so that the answer takes as long.
_NOBODY: Final = "$argon2id$v=19$m=65536,t=3,p=4$ES4g2lB9SB3DjMCG5G29ug$fmoXovLV0pKMoRuysdBuZlwmVqi9igxxPhI4TxGsDEM"


def hashed(password: str) -> str:
    """Hash a password; raises UsageError if it is too short or too long."""
    if not SHORTEST <= len(password) <= LONGEST:
        raise UsageError(f"a password has {SHORTEST} to {LONGEST:,} characters; this one has {len(password)}")
    return _hasher().hash(password)


def matches(kept: str, password: str) -> bool:
    """Whether the password matches; it takes as long if there is no hash."""
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


PREFIX: Final = "pk_"
MOST_DAYS: Final = 366
KINDS: Final[dict[TokenKind, Kind]] = {"session": "person", "program": "program", "agent": "agent"}


@dataclass(frozen=True, slots=True)
class TokenRequest:
    """What a token should allow: at most this role, in one repository or all, for this many days."""

    account: str
    label: str
    role: Role = "reader"
    agent: bool = False
    repository: str = ""
    days: int = 90


def add_token(team: Team, wanted: TokenRequest) -> tuple[Token, str]:
    """Make a token and return its secret, which can't be shown again; raises UsageError."""
    account = account_named(team.database, wanted.account)
    if account is None or not account.enabled:
        raise UsageError(f"there is no account {wanted.account!r} that may sign in; pk users list names all")
    if not reaches(account.role, wanted.role):
        raise UsageError(f"{account.name!r} is {account.role}; a token of theirs cannot be {wanted.role}")
    if wanted.agent and reaches(wanted.role, "committer"):
        raise UsageError(f"an agent's token never commits; {wanted.role!r} is for people, give reader or reviewer")
    if not 1 <= wanted.days <= MOST_DAYS:
        raise UsageError(f"a token lasts 1 to {MOST_DAYS} days, not {wanted.days}")
    if wanted.repository:
        repository_named(team.database, wanted.repository)
    return _made(team, wanted)


def _made(team: Team, wanted: TokenRequest) -> tuple[Token, str]:
    secret, ends = PREFIX + secrets.token_urlsafe(32), team.now() + timedelta(days=wanted.days)
    token = Token(
        secrets.token_hex(6),
        wanted.account,
        wanted.label[:100],
        "agent" if wanted.agent else "program",
        wanted.role,
        wanted.repository,
        team.at,
        ends.isoformat(timespec="seconds"),
    )
    with team.noted("tokens add", f"{token.id} {token.account} {token.kind} {token.role}"):
        keep_token(team.database, token, secret)
    return token, secret


def list_tokens(team: Team, account: str = "") -> tuple[Token, ...]:
    """List the tokens of one account, or all."""
    return tokens(team.database, account)


def revoke_token(team: Team, name: str) -> None:
    """Revoke a token; raises UsageError if no valid one has this id."""
    with team.noted("tokens revoke", name):
        if not revoke(team.database, at=team.at, token=name):
            raise UsageError(f"there is no token {name!r} that still holds; pk tokens list shows their ids")


def principal_of(team: Team, secret: str, *, session: bool) -> Principal | None:
    """Return the principal of a secret, as a session or a token; None if it is unknown.

    A principal never exceeds the current role of its account, whatever the token says.
    """
    found = token_of_secret(team.database, secret, now=team.at)
    if found is None or (found[0].kind == "session") is not session:
        return None
    token, account = found
    role = account.role if session else lowest(account.role, token.role)
    if token.kind == "agent":
        role = lowest(role, "reviewer")
    form = form_token(secret) if session else ""
    return Principal(account.person, role, KINDS[token.kind], account.name, form, token.repository)


def form_token(secret: str) -> str:
    """Return a session's form token, which proves that a form was not made by another page."""
    return hmac.new(secret.encode(), b"form", sha256).hexdigest()
