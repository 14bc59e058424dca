"""`pk users`, `pk tokens`, `pk repos` and `pk audit`: what a server knows, and its audit log."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import Final

import click

from pactkeeper.doors.cli.groups import CommandGroup
from pactkeeper.doors.cli.output import count, document, note, say
from pactkeeper.doors.cli.parameters import as_json, within
from pactkeeper.ledger.policy import ROLES, Role
from pactkeeper.operators import accounts
from pactkeeper.operators.accounts import TokenRequest
from pactkeeper.operators.team import (
    add_repository,
    change_member,
    fetch_repository,
    list_audit,
    list_repositories,
    open_team,
    push_repository,
    remove_repository,
)
from pactkeeper.published.plain import Codec
from pactkeeper.store.team import Account, Registered

named = click.argument("name")
_USER: Final = Codec(Account, "name person role enabled since=created_at")


@click.group(cls=CommandGroup, default="list")
def users_command() -> None:
    """Add, list, change and disable the accounts of a server.

    A reader sees everything, a reviewer decides and applies, a committer also freezes atoms, an admin also runs what
    repositories declare and reads the audit log. Passwords are prompted for or read from stdin, never given as
    arguments.
    """


@users_command.command()
@named
@click.option("--person", required=True, metavar="'NAME <MAIL>'", help="The name used in the log.")
@click.option("--role", type=click.Choice(ROLES), default="reader", show_default=True)
@click.option("--no-password", is_flag=True, help="They sign in only through the provider (OIDC).")
def add(*, name: str, person: str, role: Role, no_password: bool) -> None:
    """Add an account."""
    password = None if no_password else _password()
    within(open_team, accounts.add_user, name, person, role=role, password=password)
    say(f"{name} may sign in as {role}")


@users_command.command(name="list")
@as_json
def list_(*, json_: bool) -> None:
    """List the accounts with their roles."""
    found = within(open_team, accounts.list_users)
    if json_:
        document({"users": _USER.each(found)})
        return
    for one in found:
        say(f"{one.name}: {one.person}, {one.role}{'' if one.enabled else f', disabled {one.disabled_at}'}")
    say(count(len(found), "account"))


@users_command.command()
@named
@click.argument("role", type=click.Choice(ROLES))
def role(*, name: str, role: Role) -> None:
    """Change an account's role, effective immediately."""
    within(open_team, accounts.change_role, name, role)
    say(f"{name} is {role} now")


@users_command.command()
@named
def password(*, name: str) -> None:
    """Change an account's password; this ends its sessions and revokes its tokens."""
    with open_team() as team:
        accounts.change_password(team, name, _password())
    say(f"{name} has a new password; sign in again and create new tokens")


@users_command.command()
@named
def disable(*, name: str) -> None:
    """Disable an account; this ends its sessions and revokes its tokens."""
    within(open_team, accounts.disable_user, name)
    say(f"{name} is disabled")


@users_command.command()
@named
def enable(*, name: str) -> None:
    """Enable a disabled account."""
    within(open_team, accounts.enable_user, name)
    say(f"{name} may sign in again")


def _password() -> str:
    if sys.stdin.isatty():
        found: str = click.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
        return found
    return sys.stdin.readline().rstrip("\n")


_WITHOUT_ACCOUNT: Final = {"nobody": "somebody not signed in", "terminal": "an administrator at a terminal"}


@click.command()
@click.option("--account", default="", metavar="NAME", help="Only this account.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True)
@as_json
def audit(*, account: str, limit: int, json_: bool) -> None:
    """Show who did what on a server, when, from where, and with what outcome; newest first.

    Writes, sign-ins and refusals are logged; reads are not.
    """
    found = within(open_team, list_audit, account=account, limit=limit)
    if json_:
        document({"entries": found})
        return
    for one in found:
        source = f" from {one.address}" if one.address else ""
        who = f"{one.account} ({one.kind})" if one.account else _WITHOUT_ACCOUNT.get(one.kind, one.kind)
        say(f"{one.at} {who}{source}: {one.action} {one.subject} -> {one.outcome}")


@click.group(cls=CommandGroup, default="list")
def tokens_command() -> None:
    """Create, list and revoke the tokens of a server.

    A token acts for an account, with at most the role it was created with. An agent's token can use only the agent
    tools, and can never consent or commit.
    """


@tokens_command.command("add")
@click.argument("account")
@click.argument("label")
@click.option("--role", type=click.Choice(ROLES), default="reader", show_default=True)
@click.option("--agent", is_flag=True, help="For a coding agent: it can propose, but never decide.")
@click.option("--repo", default="", metavar="NAME", help="For one repository only.")
@click.option("--days", type=int, default=90, show_default=True, help="How long it lasts.")
@as_json
def add_account_token(*, account: str, label: str, role: Role, agent: bool, repo: str, days: int, json_: bool) -> None:  # noqa: PLR0913 - click's
    """Create a token and print it; it is shown only once."""
    token, secret = within(open_team, accounts.add_token, TokenRequest(account, label, role, agent, repo, days))
    if json_:
        document({**asdict(token), "token": secret})
        return
    say(secret)
    note(f"token {token.id} of {account}: {token.kind}, {role}, until {token.expires_at}; it is not shown again")


@tokens_command.command("list")
@click.argument("account", default="")
@as_json
def list_account_tokens(*, account: str, json_: bool) -> None:
    """List the tokens of an account, or all; secrets are not stored."""
    found = within(open_team, accounts.list_tokens, account)
    if json_:
        document({"tokens": found})
        return
    for one in found:
        where = f" in {one.repository}" if one.repository else ""
        ends = f"revoked {one.revoked_at}" if one.revoked_at else f"until {one.expires_at}"
        say(f"{one.id}: {one.account}, {one.label!r}, {one.kind}, {one.role}{where}, {ends}")
    say(count(len(found), "token"))


@tokens_command.command("revoke")
@click.argument("token", metavar="ID")
def revoke_account_token(*, token: str) -> None:
    """Revoke a token, by its id."""
    within(open_team, accounts.revoke_token, token)
    say(f"{token} is revoked")


@click.group(cls=CommandGroup, default="list")
def repos_command() -> None:
    """Add, list, fetch and remove the repositories of a server, and set who may do what in each.

    Clones are kept in the server's data folder; nothing in them is run.
    """


@repos_command.command("add")
@named
@click.argument("place", metavar="FOLDER|URL")
@click.option("--depth", type=click.IntRange(min=1), default=None, help="Fetch only this many commits of each branch.")
@click.option("--partial", is_flag=True, help="Fetch files only when they are needed.")
@click.option("--members-only", is_flag=True, help="Close it to accounts that are not members.")
@click.option(
    "--most", type=click.Choice(ROLES), default="admin", show_default=True, help="The highest role anybody has in it."
)
@as_json
def add_repository_command(  # noqa: PLR0913 - click decides the signature
    *, name: str, place: str, depth: int | None, partial: bool, members_only: bool, most: Role, json_: bool
) -> None:
    """Register a repository, by a folder on this machine or a URL, and fetch it."""
    wanted = Registered(name, place, depth or 0, partial, not members_only, most)
    found = within(open_team, add_repository, wanted)
    if json_:
        document(found)
    else:
        say(f"{found.name}: {found.place} at {found.commit[:12]}")


@repos_command.command("list")
@as_json
def list_repository_rows(*, json_: bool) -> None:
    """List the repositories: origin, last fetch, and errors."""
    found = within(open_team, list_repositories)
    if json_:
        document({"repositories": found})
        return
    for one in found:
        closed = "" if one.shared else ", members only"
        capped = "" if one.most == "admin" else f", {one.most} at most"
        say(f"{one.name}: {one.place} at {one.commit[:12]}, fetched {one.fetched_at}{closed}{capped}")
        if one.trouble:
            say(f"  the last fetch failed: {one.trouble}")
    say(count(len(found), "repository", "repositories"))


@repos_command.command("fetch")
@named
def fetch_command(*, name: str) -> None:
    """Fetch a repository now."""
    found = within(open_team, fetch_repository, name)
    say(f"{found.name} is at {found.commit[:12]}")


@repos_command.command("push")
@named
@click.option("--author", required=True, metavar="'NAME <MAIL>'", help="The author of the commit.")
def push_command(*, name: str, author: str) -> None:
    """Push what was applied to a fetched repository, as a new branch."""
    branch = within(open_team, push_repository, name, author)
    say(f"pushed as {branch}; open a pull request for it")


@repos_command.command("remove")
@named
def remove_command(*, name: str) -> None:
    """Remove a repository and its clone from the server."""
    within(open_team, remove_repository, name)
    say(f"{name} is removed from the server; its history stays in the database")


@repos_command.command("member")
@named
@click.argument("account")
@click.argument("role", type=click.Choice([*ROLES[:3], "none"]))
def member_command(*, name: str, account: str, role: str) -> None:
    """Give an account a role in a repository; `none` removes it."""
    chosen = next((one for one in ROLES if one == role), None)
    found = within(open_team, change_member, name, account, chosen)
    for who, what in found.items():
        say(f"{who}: {what}")
    say(count(len(found), "member"))
