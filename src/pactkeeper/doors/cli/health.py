"""`pk health`: where the project stands, how it came there, and what a sweep would run."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from shlex import join

import click

from pactkeeper.doors.cli.output import bold, count, dim, document, note, say, tally, until_closed
from pactkeeper.doors.cli.parameters import as_json, workspace
from pactkeeper.doors.cli.sweep import DECLARE
from pactkeeper.health.plan import Plan
from pactkeeper.intent.health import Sweep
from pactkeeper.operators.health_view import HealthStatus, Moment, health_status, health_timeline
from pactkeeper.operators.sweep import list_health_checks

COLOURS = {"green": "green", "red": "red", "not known": "yellow"}


@click.group(name="health")
def command() -> None:
    """Tell whether the project is green, since when, and what a sweep would run."""


@command.command()
@as_json
@click.pass_context
def checks(ctx: click.Context, *, json_: bool) -> int:
    """Tell which checks a sweep would run, in order, and why."""
    with workspace(ctx) as (opened, _):
        plan = list_health_checks(opened)
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
        note(f"no check is known for this project: {DECLARE}")
    return 0


def _row(plan: Plan, number: int) -> dict[str, object]:
    one = plan.checks[number]
    return {**asdict(one.check), "why": one.why, "unfit": one.unfit}


@command.command()
@as_json
@click.pass_context
def status(ctx: click.Context, *, json_: bool) -> int:
    """Tell the colour, since which commit, what is open, and when the next sweep is due; exit 1 where it is red."""
    with workspace(ctx) as (opened, _):
        found = health_status(opened)
    if json_:
        document({"schema": "pactkeeper.health-status/1", **_status_document(found)})
    else:
        _print_status(found)
    return 1 if found.colour == "red" else 0


def _status_document(found: HealthStatus) -> dict[str, object]:
    return {**asdict(found), "findings": dict(found.findings), "tasks": dict(found.tasks)}


def _print_status(found: HealthStatus) -> None:
    say(_coloured(found.colour) + (f" since {_place(found.since)}" if found.since is not None else ""))
    if found.last is not None and found.colour == "not known" and (why := _unjudged(found.last)):
        say(f"{why}: {DECLARE}")
    if found.last is not None:
        say(f"last sweep: {_place(found.last)}")
    if found.stale:
        say(f"{count(found.stale, 'sweep')} since then came too late: the branch moved while they ran")
    flaky = [("flaky", found.flaky)]
    say(f"findings: {tally([*found.findings.items(), *flaky]) or 'none'}")
    say(f"fix tasks: {tally(list(found.tasks.items())) or 'none'}")
    watcher = f"{found.watched_by} watches" if found.watched_by else "nobody watches (pk watch)"
    say(f"next sweep: due {found.due_at}; {watcher}")


@command.command()
@click.option("--limit", type=click.IntRange(1, 1000), default=20, show_default=True, help="At most this many sweeps.")
@as_json
@click.pass_context
def timeline(ctx: click.Context, *, limit: int, json_: bool) -> int:
    """List the last sweeps, the newest first, and between which commits the project turned red."""
    with workspace(ctx) as (opened, _):
        found = health_timeline(opened, limit=limit)
    with until_closed():
        if json_:
            document({"schema": "pactkeeper.health-timeline/1", "sweeps": [asdict(one) for one in found]})
            return 0
        for one in found:
            _print_moment(one)
        if not found:
            say("nothing was swept yet; pk sweep")
    return 0


def _print_moment(one: Moment) -> None:
    bad = [each.check for each in one.sweep.results if each.verdict not in {"pass", "not applicable"}]
    torn = ["conflict markers"] if one.sweep.infrastructure and one.colour == "red" else []
    why = "; ".join([*torn, one.sweep.infrastructure or ", ".join(bad) or _unjudged(one.sweep)])
    late = dim("  stale") if one.sweep.stale else ""
    say(f"{_place(one.sweep)}  {_coloured(one.colour)}{f': {why}' if why else ''}{late}")
    if one.window is not None:
        say(dim(f"    turned red after {one.window.good[:12]}, by one of {count(len(one.window.commits), 'commit')}:"))
        for commit, subject in one.window.commits:
            say(dim(f"      {commit[:12]} {subject}"))


def _unjudged(sweep: Sweep) -> str:
    """Why a sweep could not judge; empty where it did."""
    whole = any(one.category == "conflict" for one in sweep.results)
    return sweep.unjudged if whole or sweep.only else ""


def _coloured(colour: str) -> str:
    return click.style(colour, fg=COLOURS[colour])


def _place(sweep: Sweep) -> str:
    at = datetime.fromisoformat(sweep.ended_at).astimezone(UTC)
    return f"{sweep.commit[:12]} {at:%Y-%m-%d %H:%M:%S} UTC"
