"""`pk gaps` and `pk next`: what to do next."""

from __future__ import annotations

from collections import Counter

import click

from pactkeeper.doors.cli.output import bold, count, dim, document, mark, place_of, say, tally
from pactkeeper.doors.cli.parameters import as_json, paths_argument, workspace
from pactkeeper.operators.backlog import Backlog, BacklogFilter, find_gaps, next_task
from pactkeeper.published.check import TASK
from pactkeeper.reconcile.task import TASK_KINDS, Task

coverage_option = click.option(
    "--coverage", multiple=True, metavar="FILE", help="A report of which lines ran; repeatable."
)


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
def command(
    paths: tuple[str, ...],
    *,
    kinds: tuple[str, ...],
    coverage: tuple[str, ...],
    limit: int,
    json_: bool,
) -> None:
    """List orphans, uncovered code, violations, conflicts, open questions and stale evidence, the most urgent first.

    What somebody snoozed or rejected is counted and not listed; `pk findings` shows it.
    """
    with workspace(paths) as (opened, inside):
        wanted = BacklogFilter(kinds, inside, coverage)  # type: ignore[arg-type]  # click allows these words
        found = find_gaps(opened, wanted)
    if json_:
        tasks = TASK.each(found.tasks)
        document({"tasks": tasks, "suppressed": found.suppressed, "not_looked_at": found.unseen}, "gaps/1")
        return
    for one in found.tasks[:limit]:
        print_task(one)
    if len(found.tasks) > limit:
        say(dim(f"… and {len(found.tasks) - limit:,} more: --limit N, --kind KIND"))
    _sum_up(found)


def _sum_up(found: Backlog) -> None:
    kinds = Counter(one.kind for one in found.tasks)
    say(f"{count(len(found.tasks), 'task')}  {dim(tally(list(kinds.items())))}" if found.tasks else "nothing to do")
    if found.suppressed:
        say(dim(f"put aside by somebody: {count(len(found.suppressed), 'finding')}; `pk findings` shows them"))
    for source in found.unseen:
        say(dim(f"not looked at: {source}"))


def print_task(one: Task) -> None:
    """Print one task in three lines at most."""
    place = place_of(one.path, one.line)
    shown = dim(place) if place != one.subject else ""
    say(f"{one.priority} {mark(one.severity)} {bold(one.subject)}  {shown}".rstrip())
    say(f"    {one.message}")
    if one.command:
        say(dim(f"    {one.command}"))


@click.command()
@paths_argument
@coverage_option
@as_json
def next_(paths: tuple[str, ...], *, coverage: tuple[str, ...], json_: bool) -> int:
    """Print the next task with the op that closes it; the same repository gives the same task."""
    with workspace(paths) as (opened, inside):
        found = next_task(opened, BacklogFilter((), inside, coverage))
    if json_:
        document({"task": None if found is None else TASK(found)}, "task/1")
    elif found is None:
        say("nothing that a step would change; pk gaps lists what is left, if anything")
    else:
        print_task(found)
    return 0
