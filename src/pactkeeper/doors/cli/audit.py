"""`pk audit`: who did what on a server."""

from __future__ import annotations

import click

from pactkeeper.doors.cli.output import document, say
from pactkeeper.doors.cli.parameters import as_json
from pactkeeper.operators.team import list_audit, open_team


@click.command()
@click.option("--account", default="", metavar="NAME", help="Of one account only.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True)
@as_json
def command(*, account: str, limit: int, json_: bool) -> None:
    """Tell who did what to what on a server, when, from where, and what became of it; the newest first.

    Writes, sign-ins and refusals are kept, reads are not.
    """
    with open_team() as team:
        found = list_audit(team, account=account, limit=limit)
    if json_:
        document({"entries": found})
        return
    for one in found:
        source = f" from {one.address}" if one.address else ""
        say(f"{one.at} {one.account or one.kind} ({one.kind}){source}: {one.action} {one.subject} -> {one.outcome}")
