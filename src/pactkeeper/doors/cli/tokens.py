"""`pk tokens`: tokens with which programs and coding agents access a server."""

from __future__ import annotations

from dataclasses import asdict

import click

from pactkeeper.doors.cli.groups import CommandGroup
from pactkeeper.doors.cli.output import count, document, note, say
from pactkeeper.doors.cli.parameters import as_json
from pactkeeper.ledger.roles import ROLES, Role
from pactkeeper.operators.accounts import TokenRequest, add_token, list_tokens, revoke_token
from pactkeeper.operators.team import open_team


@click.group(cls=CommandGroup, default="list")
def command() -> None:
    """Make, list and revoke the tokens of a server.

    A token stands for an account, with at most the role that it was made with. An agent's token calls what agents are
    offered, and never consents or commits.
    """


@command.command()
@click.argument("account")
@click.argument("label")
@click.option("--role", type=click.Choice(ROLES), default="reader", show_default=True)
@click.option("--agent", is_flag=True, help="For a coding agent: it proposes and never decides.")
@click.option("--repo", default="", metavar="NAME", help="For one repository only.")
@click.option("--days", type=int, default=90, show_default=True, help="How long it lasts.")
@as_json
def add(*, account: str, label: str, role: Role, agent: bool, repo: str, days: int, json_: bool) -> None:  # noqa: PLR0913 - click's
    """Make a token and print it, this once."""
    with open_team() as team:
        token, secret = add_token(team, TokenRequest(account, label, role, agent, repo, days))
    if json_:
        document({**asdict(token), "token": secret})
        return
    say(secret)
    note(f"token {token.id} of {account}: {token.kind}, {role}, until {token.expires_at}; it is not shown again")


@command.command(name="list")
@click.argument("account", default="")
@as_json
def list_(*, account: str, json_: bool) -> None:
    """List the tokens of an account, or all; the secrets are not kept."""
    with open_team() as team:
        found = list_tokens(team, account)
    if json_:
        document({"tokens": found})
        return
    for one in found:
        where = f" in {one.repository}" if one.repository else ""
        ends = f"revoked {one.revoked_at}" if one.revoked_at else f"until {one.expires_at}"
        say(f"{one.id}: {one.account}, {one.label!r}, {one.kind}, {one.role}{where}, {ends}")
    say(count(len(found), "token"))


@command.command()
@click.argument("token", metavar="ID")
def revoke(*, token: str) -> None:
    """End a token, by its id."""
    with open_team() as team:
        revoke_token(team, token)
    say(f"{token} is worth nothing any more")
