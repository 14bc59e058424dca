"""`pk users` and `pk audit`: the accounts of a server, and its audit log."""

from __future__ import annotations

import sys
from typing import Final

import click

from pactkeeper.doors.cli.groups import CommandGroup
from pactkeeper.doors.cli.output import count, document, say
from pactkeeper.doors.cli.parameters import as_json
from pactkeeper.ledger.roles import ROLES, Role
from pactkeeper.operators.accounts import (
    add_user,
    change_password,
    change_role,
    disable_user,
    enable_user,
    list_users,
)
from pactkeeper.operators.team import list_audit, open_team
from pactkeeper.published.plain import Codec
from pactkeeper.store.accounts import Account

named = click.argument("name")
_USER: Final = Codec(Account, "name person role enabled since=created_at")


@click.group(cls=CommandGroup, default="list")
def command() -> None:
    """Add, list, change and disable the accounts of a server.

    A reader sees everything, a reviewer decides and applies, a committer also freezes atoms, an admin also runs what
    repositories declare and reads the audit log. A password is asked for, or read from stdin; it is never an argument.
    """


@command.command()
@named
@click.option("--person", required=True, metavar="'NAME <MAIL>'", help="How the log names them.")
@click.option("--role", type=click.Choice(ROLES), default="reader", show_default=True)
@click.option("--no-password", is_flag=True, help="They come in by the provider (OIDC) only.")
def add(*, name: str, person: str, role: Role, no_password: bool) -> None:
    """Add an account."""
    password = None if no_password else _password()
    with open_team() as team:
        add_user(team, name, person, role=role, password=password)
    say(f"{name} may sign in as {role}")


@command.command(name="list")
@as_json
def list_(*, json_: bool) -> None:
    """List the accounts with their roles."""
    with open_team() as team:
        found = list_users(team)
    if json_:
        document({"users": _USER.each(found)})
        return
    for one in found:
        say(f"{one.name}: {one.person}, {one.role}{'' if one.enabled else f', disabled {one.disabled_at}'}")
    say(count(len(found), "account"))


@command.command()
@named
@click.argument("role", type=click.Choice(ROLES))
def role(*, name: str, role: Role) -> None:
    """Give an account another role, at once."""
    with open_team() as team:
        change_role(team, name, role)
    say(f"{name} is {role} now")


@command.command()
@named
def password(*, name: str) -> None:
    """Give an account another password; its sessions and tokens end."""
    with open_team() as team:
        change_password(team, name, _password())
    say(f"{name} has a new password; sign in again, and make new tokens")


@command.command()
@named
def disable(*, name: str) -> None:
    """Let an account in no more; its sessions and tokens end."""
    with open_team() as team:
        disable_user(team, name)
    say(f"{name} is not let in any more")


@command.command()
@named
def enable(*, name: str) -> None:
    """Let a disabled account in again."""
    with open_team() as team:
        enable_user(team, name)
    say(f"{name} may sign in again")


def _password() -> str:
    if sys.stdin.isatty():
        found: str = click.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
        return found
    return sys.stdin.readline().rstrip("\n")


@click.command()
@click.option("--account", default="", metavar="NAME", help="Of one account only.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True)
@as_json
def audit(*, account: str, limit: int, json_: bool) -> int:
    """Tell who did what to what on a server, when, from where, and what became of it; the newest first.

    Writes, sign-ins and refusals are kept, reads are not.
    """
    with open_team() as team:
        found = list_audit(team, account=account, limit=limit)
    if json_:
        document({"entries": found})
        return 0
    for one in found:
        source = f" from {one.address}" if one.address else ""
        say(f"{one.at} {one.account or one.kind} ({one.kind}){source}: {one.action} {one.subject} -> {one.outcome}")
    return 0
