"""`pk repos`: the repositories of a server."""

from __future__ import annotations

import click

from pactkeeper.doors.cli.groups import CommandGroup
from pactkeeper.doors.cli.output import count, document, say
from pactkeeper.doors.cli.parameters import as_json
from pactkeeper.ledger.roles import ROLES, Role
from pactkeeper.operators.team import (
    add_repository,
    change_member,
    fetch_repository,
    list_repositories,
    open_team,
    push_repository,
    remove_repository,
)
from pactkeeper.store.repositories import Registered

named = click.argument("name")


@click.group(cls=CommandGroup, default="list")
def command() -> None:
    """Add, list, fetch and remove the repositories of a server, and say who may do what in each.

    Everything fetched is kept below the server's data folder; nothing that a clone contains is run.
    """


@command.command()
@named
@click.argument("place", metavar="FOLDER|URL")
@click.option("--depth", type=click.IntRange(min=1), default=None, help="Fetch so many commits of each branch.")
@click.option("--partial", is_flag=True, help="Fetch files only when they are needed.")
@click.option("--members-only", is_flag=True, help="Close it to accounts that are no members.")
@click.option(
    "--most", type=click.Choice(ROLES), default="admin", show_default=True, help="The most that anybody may do in it."
)
@as_json
def add(  # noqa: PLR0913 - click decides the signature
    *, name: str, place: str, depth: int | None, partial: bool, members_only: bool, most: Role, json_: bool
) -> None:
    """Register a repository by a folder of this machine or a URL, and fetch it."""
    wanted = Registered(name, place, depth or 0, partial, not members_only, most)
    with open_team() as team:
        found = add_repository(team, wanted)
    if json_:
        document(found)
    else:
        say(f"{found.name}: {found.place} at {found.commit[:12]}")


@command.command(name="list")
@as_json
def list_(*, json_: bool) -> None:
    """List the repositories: where each comes from, what was fetched last, and what went wrong."""
    with open_team() as team:
        found = list_repositories(team)
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


@command.command()
@named
def fetch(*, name: str) -> None:
    """Fetch a repository now."""
    with open_team() as team:
        found = fetch_repository(team, name)
    say(f"{found.name} is at {found.commit[:12]}")


@command.command()
@named
@click.option("--author", required=True, metavar="'NAME <MAIL>'", help="Whom the commit names.")
def push(*, name: str, author: str) -> None:
    """Push what was applied to a fetched repository, as a branch of its own."""
    with open_team() as team:
        branch = push_repository(team, name, author)
    say(f"pushed as {branch}; open a pull request for it")


@command.command()
@named
def remove(*, name: str) -> None:
    """Take a repository off the server, with everything fetched for it."""
    with open_team() as team:
        remove_repository(team, name)
    say(f"{name} is gone from the server; its history stays in the database")


@command.command()
@named
@click.argument("account")
@click.argument("role", type=click.Choice([*ROLES[:3], "none"]))
def member(*, name: str, account: str, role: str) -> None:
    """Give an account a role in a repository; `none` takes it away."""
    chosen = next((one for one in ROLES if one == role), None)
    with open_team() as team:
        found = change_member(team, name, account, chosen)
    for who, what in found.items():
        say(f"{who}: {what}")
    say(count(len(found), "member"))
