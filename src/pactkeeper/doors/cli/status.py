"""`pk status`, `pk gaps`, `pk next` and `pk report`: where things stand, and what to do next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import click

from pactkeeper.doors.cli.output import (
    bold,
    count,
    dim,
    document,
    ensure_writable,
    first_of,
    mark,
    note,
    place_of,
    say,
    tally,
    write_out,
)
from pactkeeper.doors.cli.parameters import as_json, in_workspace, paths_argument, workspace
from pactkeeper.operators.backlog import Backlog, BacklogFilter, find_gaps, next_task
from pactkeeper.operators.observe import Statistics, SweptLine, get_statistics
from pactkeeper.operators.proof import Proof
from pactkeeper.published.plain import plain
from pactkeeper.reconcile.task import TASK_KINDS, Task
from pactkeeper.workspace import Workspace

MOST_COMMITS = 3  # at which tests passed
_SHADES: Final[Mapping[str, str]] = {"green": "green", "red": "red", "not known": "yellow"}


@click.command()
@as_json
def command(*, json_: bool) -> None:
    """Show the state of the repository and its pact, and what to do next."""
    with workspace() as (opened, _):
        found = get_statistics(opened)
        standing, more = standing_of(opened, found)
        task: Task | None = None if json_ or found.pending or found.unfinished else next_task(opened, BacklogFilter())
    if json_:
        document({**plain(found), "standing": standing, "told": more}, "status/1")
    else:
        _print(found, task, more)


def standing_of(opened: Workspace, found: Statistics) -> tuple[str, str]:
    """How main stands by all sources, and what they say if sweeps alone tell less; untold before a sweep."""
    if found.health is None or not found.health.commit:
        return "untold", ""
    from pactkeeper.chat.standing import beyond_sweeps  # noqa: PLC0415 - imports what few commands need

    return beyond_sweeps(opened, found.health.colour)


def _print(found: Statistics, task: Task | None, more: str) -> None:
    tests = sum(found.tests.values())
    say(f"tests   {tests:,}  {dim(tally(list(found.tests.items())))}")
    if found.frameworks:
        say(f"        {dim(tally(list(found.frameworks.items())))}")
    say(f"atoms   {sum(found.atoms.values()):,}  {dim(tally(list(found.atoms.items())))}")
    say(f"debt    {count(found.debt, 'line')}")
    if found.gaps:
        say(f"blind   {count(found.gaps, 'spot')}  {dim('pk scan lists them')}")
    say(f"check   {count(found.errors, 'error')}, {count(found.warnings, 'warning')}")
    if found.proof is not None:
        _print_proof(found.proof)
    if found.health is not None and found.health.colour == "green" and not found.health.tasks and not more:
        _print_health(found.health)
    print_red(found, more)
    if found.unfinished:
        say(f"{mark('warning')} a write of {found.unfinished} was interrupted: pk recover")
    say(f"next    {_next(found, task)}")


def print_red(found: Statistics, more: str = "") -> None:
    """Say that committed promises fail, and that main is red or has fix tasks, or `more` in place of the latter."""
    broken = found.broken
    if broken:
        words = "1 committed promise fails in its" if broken == 1 else f"{broken:,} committed promises fail in their"
        say(f"broken  {click.style(f'{words} last known run', fg='red')}  {dim('pk evidence show')}")
    line = found.health
    if more:
        say(f"main    {click.style(more, fg='yellow')}")
    elif line is not None and (line.colour == "red" or line.tasks or line.unswept):
        _print_health(line)


def _print_health(line: SweptLine) -> None:
    tasks = f"{count(line.tasks, 'open fix task')}: pk fixes" if line.tasks else "pk health"
    colour, commit, unswept = line.colour, line.commit[:12], count(line.unswept, "commit")
    told = click.style(colour, fg=_SHADES[colour])
    if colour == "not known" and line.unswept:
        told += f": {unswept} since {commit} not swept"
    else:
        told += f" at {commit}" + (f", {unswept} since not swept" if line.unswept else "")
    say(f"main    {told}  {dim(tasks)}")


def _print_proof(found: Proof) -> None:
    if any(number for state, number in found.tests.items() if state != "none"):
        say(f"proof   {tally(list(found.tests.items()))}  {dim('plausible: by reports kept on this machine')}")
        if any(found.atoms.values()):
            say(f"        {dim('atoms: ' + tally(list(found.atoms.items())))}")
        for one in found.ran[:MOST_COMMITS]:
            say(f"        {one.told}")
    attested = found.attested
    if attested is not None:
        ago = "HEAD" if attested.ago == 0 else f"{count(attested.ago, 'commit')} ago"
        who = f"{'signed' if attested.verified else 'claimed'} by {attested.by or 'nobody named'}"
        check = "in agreement" if attested.agrees else "drifted"
        since = "" if attested.current else "; plausible since"
        atoms = tally(list(attested.atoms.items())) or "none committed"
        say(f"attested at {attested.commit[:12]} ({ago}){since}  {dim(f'{who}; {check}; atoms: {atoms}')}")


def _next(found: Statistics, task: Task | None) -> str:
    if not found.declared:
        return "pk init"
    if found.pending:
        waits = "test waits" if found.pending == 1 else "tests wait"
        return f"pk review  {dim(f'({found.pending:,} {waits} for a decision)')}"
    if task is None:
        return "nothing to do"
    return f"{task.command or 'pk next'}  {dim(f'({task.message})')}"


coverage_option = click.option("--coverage", multiple=True, metavar="FILE", help="A coverage report; repeatable.")


@click.command()
@paths_argument
@click.option(
    "--kind", "kinds", multiple=True, type=click.Choice(TASK_KINDS), help="Only tasks of this kind; repeatable."
)
@coverage_option
@click.option(
    "--limit", type=click.IntRange(min=1), default=30, show_default=True, metavar="N", help="At most N tasks."
)
@as_json
def gaps_command(
    paths: tuple[str, ...], *, kinds: tuple[str, ...], coverage: tuple[str, ...], limit: int, json_: bool
) -> None:
    """List orphans, uncovered code, violations, conflicts, open questions and stale evidence, the most urgent first.

    Snoozed and rejected findings are counted but not listed; see `pk findings`.
    """
    with workspace(paths) as (opened, inside):
        wanted = BacklogFilter(kinds, inside, coverage)  # type: ignore[arg-type]  # click allows these words
        found = find_gaps(opened, wanted)
    if json_:
        from pactkeeper.published.check import TASK  # noqa: PLC0415 - only for JSON

        tasks = TASK.each(found.tasks)
        document({"tasks": tasks, "suppressed": found.suppressed, "not_looked_at": found.unseen}, "gaps/1")
        return
    for one in first_of(found.tasks, limit, "… and {} more: --limit N, --kind KIND"):
        print_task(one)
    _sum_up(found)


def _sum_up(found: Backlog) -> None:
    kinds = Counter(one.kind for one in found.tasks)
    say(f"{count(len(found.tasks), 'task')}  {dim(tally(list(kinds.items())))}" if found.tasks else "nothing to do")
    if found.suppressed:
        say(dim(f"snoozed or rejected: {count(len(found.suppressed), 'finding')}; `pk findings` shows them"))
    for source in found.unseen:
        say(dim(f"not looked at: {source}"))


def print_task(one: Task) -> None:
    """Print one task in three lines at most."""
    place = place_of(one.path, one.line)
    shown = dim(place) if place != one.subject else ""
    named = one.subject.rpartition("::")[2] if one.subject in one.command else one.subject  # the command has the rest
    say(f"{mark(one.severity)} {bold(named)}  {shown}".rstrip())
    say(f"    {one.message}")
    if one.command:
        say(dim(f"    {one.command}"))


@click.command()
@paths_argument
@coverage_option
@as_json
def next_(paths: tuple[str, ...], *, coverage: tuple[str, ...], json_: bool) -> None:
    """Print the next task and the op that closes it; the same repository gives the same task."""
    with workspace(paths) as (opened, inside):
        found = next_task(opened, BacklogFilter((), inside, coverage))
    if json_:
        from pactkeeper.published.check import TASK  # noqa: PLC0415 - likewise

        document({"task": None if found is None else TASK(found)}, "task/1")
    elif found is None:
        say("nothing to do; for anything left: pk gaps")
    else:
        print_task(found)


@click.command()
@click.option("--html", type=click.Path(path_type=Path), metavar="FILE", help="Write one self-contained page.")
@click.option("--badge", type=click.Path(path_type=Path), metavar="FILE", help="Write a small SVG picture.")
@click.option("--markdown", is_flag=True, help="Print a summary in Markdown (the default).")
def report_command(*, html: Path | None, badge: Path | None, markdown: bool) -> None:
    """Write a page, a summary or a badge of the current state of the repository and its pact.

    The same repository and history give the same bytes. The exit code is always 0; `pk check` judges.
    """
    from pactkeeper.operators.report import make_report  # noqa: PLC0415 - the other commands here need neither
    from pactkeeper.published import report  # noqa: PLC0415 - likewise

    for place, option in ((html, "--html"), (badge, "--badge")):
        if place is not None:
            ensure_writable(place, option)
    found = in_workspace(make_report)
    for place, text in ((html, report.report_page), (badge, report.report_badge)):
        if place is not None:
            write_out(place, text(found))
            note(f"wrote {place}")
    if markdown or (html is None and badge is None):
        click.echo(report.report_markdown(found), nl=False)
