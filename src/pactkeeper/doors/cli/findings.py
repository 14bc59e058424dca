"""`pk findings`: what disagrees, since when, and what somebody dismissed."""

from __future__ import annotations

from datetime import date, datetime
from typing import Final

import click

from pactkeeper.doors.cli.groups import CommandGroup
from pactkeeper.doors.cli.output import bold, count, dim, document, mark, say
from pactkeeper.doors.cli.parameters import as_json, workspace
from pactkeeper.intent.pact import Waiver
from pactkeeper.operators.findings import Aside, KnownFinding, list_findings, put_aside, take_up
from pactkeeper.published.plain import Codec

STATES = ("open", "snoozed", "rejected", "resolved")


@click.group(cls=CommandGroup, default="list")
def command() -> None:
    """List findings with their history; snooze or reject one, or take it up again.

    What is put aside is written to the pact's waivers.toml, so that it counts in every clone and in CI.
    """


@command.command("list")
@click.option("--state", type=click.Choice(STATES), help="Only findings in this state; resolved ones only so.")
@as_json
def list_command(*, state: str | None, json_: bool) -> None:
    """List findings; those that are resolved only with --state."""
    with workspace() as (opened, _):
        known = list_findings(opened)
    found = [one for one in known if (one.state == state if state else one.state != "resolved")]
    if json_:
        document({"findings": _FINDING.each(found)}, "findings/1")
        return
    for one in found:
        _print(one)
    say(count(len(found), "finding") if found else "no findings")


@command.command()
@click.argument("finding", metavar="FINGERPRINT|SUBJECT")
@click.option("--until", required=True, type=click.DateTime(["%Y-%m-%d"]), help="The last day it stays away.")
@click.option("--reason", required=True, help="Why it can wait.")
def snooze(finding: str, *, until: datetime, reason: str) -> int:
    """Put a finding aside until a day, or until its evidence changes."""
    return _put_aside(finding, Aside(reason, until.date()))


@command.command()
@click.argument("finding", metavar="FINGERPRINT|SUBJECT")
@click.option("--reason", required=True, help="Why it is no disagreement.")
def reject(finding: str, *, reason: str) -> int:
    """Put a finding aside for as long as its evidence stays the same."""
    return _put_aside(finding, Aside(reason))


@command.command()
@click.argument("finding", metavar="FINGERPRINT|SUBJECT")
def reopen(finding: str) -> None:
    """Let a finding count again that was put aside."""
    with workspace() as (opened, _):
        found, _entry = take_up(opened, finding)
    say(f"{found.code} {found.subject} counts again; pk undo takes that back")


def _put_aside(name: str, aside: Aside) -> int:
    with workspace() as (opened, _):
        found, _entry = put_aside(opened, name, aside)
    until = "its evidence changes" if aside.until is None else f"{aside.until.isoformat()}, or its evidence changes"
    say(f"{found.code} {found.subject} stays away until {until}; pk undo takes that back")
    return 0


def _print(one: KnownFinding) -> None:
    found = one.finding
    since = f"  since {one.first_at[:10]}" if one.first_at else ""
    say(f"{mark(found.severity)} {found.code} {bold(found.subject)}  {dim(f'{one.state}{since}  {found.fingerprint}')}")
    say(f"    {found.message}")
    if one.waiver is not None:
        until = "" if one.waiver.until == date.max else f" until {one.waiver.until.isoformat()}"
        say(dim(f"    {one.state} by {one.waiver.by}{until}: {one.waiver.why}"))


_FINDING: Final = Codec(
    KnownFinding,
    "code=finding.code subject=finding.subject about=finding.about severity=finding.severity"
    " message=finding.message fingerprint=finding.fingerprint state first_at last_at put_aside=waiver",
    put_aside=Codec(Waiver, "by why until"),
)
