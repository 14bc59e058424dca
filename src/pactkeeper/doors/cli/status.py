"""`pk status`: an overview on one screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pactkeeper.doors.cli.output import count, dim, document, mark, say, tally
from pactkeeper.doors.cli.parameters import as_json, workspace
from pactkeeper.operators.backlog import BacklogFilter, next_task
from pactkeeper.operators.observe import Statistics, get_statistics
from pactkeeper.reconcile.task import Task

if TYPE_CHECKING:
    from pactkeeper.operators.proof import Proof


@click.command()
@as_json
def command(*, json_: bool) -> None:
    """Show where the repository and its pact stand, and what to do next."""
    with workspace() as (opened, _):
        found = get_statistics(opened)
        task: Task | None = None if json_ or found.pending or found.unfinished else next_task(opened, BacklogFilter())
    if json_:
        document(found, "status/1")
    else:
        _print(found, task)


def _print(found: Statistics, task: Task | None) -> None:
    tests = sum(found.tests.values())
    say(f"tests   {tests:,}  {dim(tally(list(found.tests.items())))}")
    if found.frameworks:
        say(f"        {dim(tally(list(found.frameworks.items())))}")
    say(f"atoms   {sum(found.atoms.values()):,}  {dim(tally(list(found.atoms.items())))}")
    say(f"debt    {count(found.debt, 'line')}")
    if found.gaps:
        say(f"gaps    {found.gaps:,}  {dim('pk scan lists them')}")
    say(f"check   {count(found.errors, 'error')}, {count(found.warnings, 'warning')}")
    if found.proof is not None:
        _print_proof(found.proof)
    if found.unfinished:
        say(f"{mark('warning')} a write of {found.unfinished} was interrupted: pk recover")
    say(f"next    {_next(found, task)}")


def _print_proof(found: Proof) -> None:
    if any(number for state, number in found.tests.items() if state != "none"):
        say(f"proof   {tally(list(found.tests.items()))}  {dim('plausible: by reports kept on this machine')}")
        if any(found.atoms.values()):
            say(f"        {dim('atoms: ' + tally(list(found.atoms.items())))}")
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
        return "nothing that a step would change"
    return f"{task.command or 'pk next'}  {dim(f'({task.message})')}"
