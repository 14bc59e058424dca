"""The verbs about tokens of programs and coding agents, and whom a secret stands for."""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from typing import Final

from pactkeeper.errors import UsageError
from pactkeeper.ledger.roles import Kind, Principal, Role, lowest, reaches
from pactkeeper.operators.team import Team
from pactkeeper.store.accounts import Token, TokenKind, account_named, keep_token, revoke, token_of_secret, tokens
from pactkeeper.store.repositories import repository_named

PREFIX: Final = "pk_"
MOST_DAYS: Final = 366
KINDS: Final[dict[TokenKind, Kind]] = {"session": "person", "program": "program", "agent": "agent"}


@dataclass(frozen=True, slots=True)
class TokenRequest:
    """What a token is to be good for: at most this role, in one repository or all, for so many days."""

    account: str
    label: str
    role: Role = "reader"
    agent: bool = False
    repository: str = ""
    days: int = 90


def add_token(team: Team, wanted: TokenRequest) -> tuple[Token, str]:
    """Make a token, and its secret, which is told this once; raises UsageError."""
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
    """The tokens of one account, or all."""
    return tokens(team.database, account)


def revoke_token(team: Team, name: str) -> None:
    """End a token; raises UsageError where there is none of that id that still holds."""
    with team.noted("tokens revoke", name):
        if not revoke(team.database, at=team.at, token=name):
            raise UsageError(f"there is no token {name!r} that still holds; pk tokens list shows their ids")


def principal_of(team: Team, secret: str, *, session: bool) -> Principal | None:
    """Whom a secret stands for, as a session or as a token; None where it is nobody's.

    Nobody is more than their account is now, whatever a token says.
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
    """What a form of a session brings back, so that no other page can have made it."""
    return hmac.new(secret.encode(), b"form", sha256).hexdigest()
