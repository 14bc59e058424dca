"""`pk health`: what a sweep would run."""

from __future__ import annotations

from dataclasses import asdict
from shlex import join

import click

from pactkeeper.doors.cli.output import bold, dim, document, note, say
from pactkeeper.doors.cli.parameters import as_json, workspace
from pactkeeper.health.plan import Plan
from pactkeeper.operators import call


@click.group(name="health")
def command() -> None:
    """Show how a project is kept green."""


@command.command()
@as_json
@click.pass_context
def checks(ctx: click.Context, *, json_: bool) -> int:
    """Tell which checks a sweep would run, in order, and why."""
    with workspace(ctx) as (opened, _):
        plan: Plan = call("list_health_checks", opened)
    if json_:
        document({"schema": "pactkeeper.health-checks/1", "checks": [_row(plan, n) for n in range(len(plan.checks))]})
        return 0
    for one in plan.checks:
        say(f"{one.check.category:<8} {bold(one.check.name)}: {join(one.check.argv)}")
        where = "" if one.check.directory == "." else f" in {one.check.directory}"
        say(dim(f"         {one.why}{where}; read as {one.check.parser}; ended after {one.check.timeout} s"))
        if one.check.prepare:
            say(dim(f"         prepared by {join(one.check.prepare)}"))
        if one.unfit:
            say(dim(f"         not applicable: {one.unfit}"))
    if not plan.checks:
        note("no check is known for this project: declare [[health.check]] in pact/pact.toml (docs/health.md)")
    return 0


def _row(plan: Plan, number: int) -> dict[str, object]:
    one = plan.checks[number]
    return {**asdict(one.check), "why": one.why, "unfit": one.unfit}
