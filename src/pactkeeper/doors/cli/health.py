"""`pk health`: the project's state, its history, and what a sweep would run."""

from __future__ import annotations

from datetime import UTC, datetime
from shlex import join

import click

from pactkeeper.doors.cli.groups import CommandGroup
from pactkeeper.doors.cli.output import bold, count, dim, document, note, say, tally, until_closed
from pactkeeper.doors.cli.parameters import as_json, attended, in_workspace, workspace
from pactkeeper.doors.cli.sweep import DECLARE
from pactkeeper.health.trust import Plan, shown
from pactkeeper.health.watching import colour
from pactkeeper.intent.health import Sweep
from pactkeeper.operators.colours import HealthStatus, Moment, health_status, health_timeline
from pactkeeper.operators.sweep import Declared, declared_checks, list_health_checks, trust_checks
from pactkeeper.published.plain import plain
from pactkeeper.workspace import Workspace

COLOURS = {"green": "green", "red": "red", "not known": "yellow"}


@click.group(cls=CommandGroup, default="status")
def command() -> None:
    """Show whether main is green, since when, and what a sweep would run."""


@command.command()
@as_json
def checks(*, json_: bool) -> None:
    """Show which checks a sweep would run, in order, and why."""
    plan = in_workspace(list_health_checks)
    if json_:
        document({"checks": [_row(plan, n) for n in range(len(plan.checks))]}, "health-checks/1")
        return
    for one in plan.checks:
        say(f"{one.check.category:<8} {bold(one.check.name)}: {join(one.check.argv)}")
        where = "" if one.check.directory == "." else f" in {one.check.directory}"
        say(dim(f"         {one.why}{where}; read as {one.check.parser}; timeout {one.check.timeout} s"))
        if one.check.prepare:
            say(dim(f"         prepared by {join(one.check.prepare)}"))
        if one.unfit:
            say(dim(f"         not applicable: {one.unfit}"))
    if not plan.checks:
        note(f"no checks are known for this project: {DECLARE}")


@command.command()
@click.option("--at", metavar="REF", help="Look at this commit instead of HEAD.")
@click.option("--hash", "name", metavar="HASH", help="Trust the declaration that was shown with this hash.")
@as_json
def trust(*, at: str | None, name: str | None, json_: bool) -> int:
    """Show what a commit declares to run, and trust it; until then nothing from the repository runs.

    Trust is valid for exactly this declaration, in this clone, for you. At a terminal you are asked; elsewhere pass
    --hash to say what you have seen. Exit code 1 if it is not trusted.
    """
    with workspace() as (opened, _):
        found = declared_checks(opened, at)
        if not json_:
            _print_declared(found)
        if not found.trusted and (name or _agrees(opened, asked=not json_)):
            found = trust_checks(opened, name or found.declaration, at)
    if json_:
        document(_declared_document(found), "trust/1")
    elif found.trusted:
        say(f"trusted: {found.declaration}")
    else:
        note(f"not trusted; to trust it: pk health trust --at {found.commit[:12]} --hash {found.declaration}")
    return 0 if found.trusted else 1


def _agrees(opened: Workspace, *, asked: bool) -> bool:
    may_ask = asked and not opened.acting and attended(opened.surroundings)
    return may_ask and click.confirm("Trust exactly this?", err=True)


def _print_declared(found: Declared) -> None:
    say(f"{found.commit[:12]} declares {bold(found.declaration)}:")
    for line in shown(found.plan):
        say(f"  {line}")


def _declared_document(found: Declared) -> dict[str, object]:
    lines = list(shown(found.plan))
    return {"commit": found.commit, "declaration": found.declaration, "runs": lines, "trusted": found.trusted}


def _row(plan: Plan, number: int) -> dict[str, object]:
    one = plan.checks[number]
    return {**plain(one.check), "why": one.why, "unfit": one.unfit}


@command.command()
@as_json
def status(*, json_: bool) -> int:
    """Show how main stands by sweeps and build reports, since when, open tasks and the next sweep; exit 1 if red."""
    from pactkeeper.chat.standing import beyond_sweeps  # noqa: PLC0415 - imports what only this command needs

    with workspace() as (opened, _):
        found = health_status(opened)
        standing, more = beyond_sweeps(opened, found.colour)
    if json_:
        document({**plain(found), "standing": standing, "told": more}, "health-status/1")
    else:
        _print_status(found, more)
    return 1 if standing in {"red", "disputed"} or found.colour == "red" else 0


def _print_status(found: HealthStatus, more: str) -> None:
    since = f" in every sweep since {_place(found.since)}" if found.since and found.colour != "not known" else ""
    say(click.style(more, fg="yellow") if more else f"{_coloured(found.colour)}{since}")
    if found.unswept and found.last is not None:
        seen, first = _coloured(colour(found.last)), "git pull, then " if found.unpulled else ""
        say(f"{count(found.unswept, 'commit')} since the last sweep, which was {seen}: {first}pk health sweep")
    elif found.last is not None and found.colour == "not known" and (why := _unjudged(found.last)):
        say(f"{why}: {DECLARE}")
    if found.last is not None:
        say(f"last sweep: {_place(found.last)}")
    if found.stale:
        say(f"{count(found.stale, 'sweep')} since then of earlier commits: pk health timeline")
    flaky = [("flaky", found.flaky)]
    say(f"findings: {tally([*found.findings.items(), *flaky]) or 'none'}")
    say(f"fix tasks: {tally(list(found.tasks.items())) or 'none'}")
    watcher = f"{found.watched_by} watches" if found.watched_by else "no watch is running (pk health watch)"
    say(f"next sweep: due {found.due_at}; {watcher}")


@command.command()
@click.option("--limit", type=click.IntRange(1, 1000), default=20, show_default=True, help="At most this many sweeps.")
@as_json
def timeline(*, limit: int, json_: bool) -> None:
    """List the last sweeps, newest first, and the range of commits in which main turned red."""
    found = in_workspace(health_timeline, limit=limit)
    with until_closed():
        if json_:
            document({"sweeps": found}, "health-timeline/1")
            return
        for one in found:
            _print_moment(one)
        if not found:
            say("no sweeps yet; run: pk health sweep")


def _print_moment(one: Moment) -> None:
    bad = [each.check for each in one.sweep.results if each.verdict not in {"pass", "not applicable"}]
    torn = ["conflict markers"] if one.sweep.infrastructure and one.colour == "red" else []
    why = "; ".join([*torn, one.sweep.infrastructure or ", ".join(bad) or _unjudged(one.sweep)])
    late = dim("  newer commits followed") if one.sweep.stale else ""
    say(f"{_place(one.sweep)}  {_coloured(one.colour)}{f': {why}' if why else ''}{late}")
    if one.window is not None:
        say(dim(f"    turned red after {one.window.good[:12]}, by one of {count(len(one.window.commits), 'commit')}:"))
        for commit, subject in one.window.commits:
            say(dim(f"      {commit[:12]} {subject}"))


def _unjudged(sweep: Sweep) -> str:
    """Why a sweep could not reach a verdict; empty if it did."""
    whole = any(one.category == "conflict" for one in sweep.results)
    return sweep.unjudged if whole or sweep.only else ""


def _coloured(colour: str) -> str:
    return click.style(colour, fg=COLOURS[colour])


def _place(sweep: Sweep) -> str:
    at = datetime.fromisoformat(sweep.ended_at).astimezone(UTC)
    return f"{sweep.commit[:12]} {at:%Y-%m-%d %H:%M:%S} UTC"
