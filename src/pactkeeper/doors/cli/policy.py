"""`pk policy`: which rule applies to a change."""

from __future__ import annotations

from typing import Final

import click

from pactkeeper.doors.cli.groups import CommandGroup
from pactkeeper.doors.cli.output import bold, dim, document, say
from pactkeeper.doors.cli.parameters import as_json, workspace
from pactkeeper.operators.history import Explained, explain_policy
from pactkeeper.published.plain import Codec

MEANINGS = {
    "auto": "it may happen without being asked",
    "ask": "it happens when a person accepts it",
    "deny": "it does not happen",
}


@click.group(cls=CommandGroup)
def command() -> None:
    """Explain the rules that an apply is held against: those of pact.toml first, then the defaults."""


@command.command("explain")
@click.argument("op")
@click.option("--patch", metavar="PATCH", help="The patch that OP is in (default: the newest).")
@as_json
def explain_command(op: str, *, patch: str | None, json_: bool) -> None:
    """Say which rule decides about OP, and why each rule before it does not."""
    with workspace() as (opened, _):
        found = explain_policy(opened, op, patch=patch)
    if json_:
        document(_RULED(found), "ruling/1")
    else:
        _print(found)


def _print(found: Explained) -> None:
    case, ruling = found.case, found.ruling
    say(f"{bold(found.op.id)}  {found.op.verb} of {found.op.target}")
    say(f"risk {case.risk}; evidence {case.evidence}; actor {case.actor}; source {case.health}")
    for name, reason in ruling.passed_over:
        say(dim(f"  {name}: does not match, {reason}"))
    say(f"  {ruling.rule or 'no rule'}: {ruling.why}")
    say(f"{ruling.permission}: {MEANINGS[ruling.permission]}")


_RULED: Final = Codec(
    Explained,
    "op=op.id permission=ruling.permission rule=ruling.rule why=ruling.why passed_over=ruling.passed_over",
    passed_over=lambda one: {"rule": one[0], "reason": one[1]},
)
