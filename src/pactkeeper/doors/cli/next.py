"""`pk next`: the one thing to do next."""

from __future__ import annotations

import click

from pactkeeper.doors.cli.gaps import coverage_option, print_task
from pactkeeper.doors.cli.output import document, say
from pactkeeper.doors.cli.parameters import as_json, paths_argument, workspace
from pactkeeper.operators.backlog import BacklogFilter, next_task
from pactkeeper.published.tasks import TASK


@click.command()
@paths_argument
@coverage_option
@as_json
def command(paths: tuple[str, ...], *, coverage: tuple[str, ...], json_: bool) -> None:
    """Print the next task with the op that closes it; the same repository gives the same task."""
    with workspace(paths) as (opened, inside):
        found = next_task(opened, BacklogFilter((), inside, coverage))
    if json_:
        document({"task": None if found is None else TASK(found)}, "task/1")
    elif found is None:
        say("nothing that a step would change; pk gaps lists what is left, if anything")
    else:
        print_task(found)
