"""`pk fixes`: tasks to fix what sweeps found, from claim to verdict."""

from __future__ import annotations

from collections.abc import Sequence
from shlex import quote
from typing import Final

import click

from pactkeeper.doors.cli.groups import CommandGroup
from pactkeeper.doors.cli.output import bold, count, dim, document, mark, say
from pactkeeper.doors.cli.parameters import as_json, attended, in_workspace, trust_option, workspace
from pactkeeper.health.weakening import Acceptance
from pactkeeper.intent.health import CLAIMABLE, FIX_STATUSES, FixStatus, FixTask, HealthFinding
from pactkeeper.operators import fix_tasks
from pactkeeper.operators.fix_tasks import Completed, Completion, FixDetail, Window
from pactkeeper.published.plain import Codec, plain
from pactkeeper.published.runs import FIX

by_option = click.option("--by", default="", metavar="NAME", help="Who works on it (default: git's user).")
task_argument = click.argument("task", metavar="FIX-ID")


@click.group(cls=CommandGroup, default="list")
def command() -> None:
    """List, show, claim and complete tasks that fix a red main branch.

    `pk health sweep` creates them. A fix is accepted if the failed check passes and no test of a committed atom was
    removed, skipped or loosened.
    """


_ACCEPTANCE: Final = Codec(Acceptance, "accepted refusals commit")


@command.command("list")
@click.option("--status", "statuses", type=click.Choice(FIX_STATUSES), multiple=True, help="Default: unfinished tasks.")
@as_json
def list_command(*, statuses: tuple[FixStatus, ...] = (), json_: bool = False) -> None:
    """List tasks, oldest first."""
    found = in_workspace(fix_tasks.list_fix_tasks, statuses)
    if json_:
        document({"fixTasks": FIX.each(found)}, "fix-tasks/1")
        return
    for one in found:
        _print_row(one)
    say(count(len(found), "task") if found else _none(statuses))
    waiting = next((one for one in found if one.status in CLAIMABLE), None)
    if waiting is not None:
        say(dim(f"take one: {claim_line(waiting)}"))


@command.command()
@task_argument
@as_json
def show(task: str, *, json_: bool) -> None:
    """Show a task with its errors, the atoms it breaks and the range of commits that introduced them."""
    found = in_workspace(fix_tasks.show_fix_task, task)
    if json_:
        findings = [{**plain(one), "fingerprint": one.diagnostic.fingerprint} for one in found.findings]
        document({**FIX(found.task), "findings": findings, "window": found.window}, "fix-task/1")
        return
    _print_detail(found)


@command.command()
@task_argument
@by_option
@as_json
def claim(task: str, *, by: str, json_: bool) -> None:
    """Claim a task; if several ask at once, one gets it. A task claimed with --by NAME is completed with --by NAME."""
    found = in_workspace(fix_tasks.claim_fix_task, task, by=by)
    if json_:
        document(FIX(found), "fix-task/1")
        return
    say(f"{bold(found.id)} is yours, {found.claimed_by}: git switch --create {found.branch} {found.commit[:12]}")
    say(found.description)
    if found.scope:
        say(dim(f"files: {', '.join(found.scope)}"))
    say(dim(f"accepted when: {found.acceptance}"))
    say(dim(f"once it is committed: pk fixes complete {found.id}{f' --by {quote(by)}' if by else ''}"))


@command.command()
@task_argument
@click.option("--commit", default="HEAD", show_default=True, metavar="REF", help="The commit with the fix.")
@by_option
@click.option(
    "--despite", default="", metavar="REASON", help="Accept changes to protected tests, on your responsibility."
)
@trust_option
@as_json
def complete(  # noqa: PLR0913 - one argument per option
    task: str, *, commit: str, by: str, despite: str, trust: str, json_: bool
) -> int:
    """Submit the fix for a claimed task; exit 1 with every reason if it is refused.

    --despite is for people at a terminal: it allows changes to protected tests, but the checks must still pass.
    """
    with workspace() as (opened, _):
        wanted = Completion(task, commit, by, despite, attended=attended(opened.surroundings), trust=trust)
        found = fix_tasks.complete_fix_task(opened, wanted)
    if json_:
        document({**_ACCEPTANCE(found.acceptance), "task": FIX(found.task)}, "fix-completion/1")
    else:
        _print_completed(found)
    return 0 if found.acceptance.accepted else 1


@command.command()
@task_argument
@click.option("--reason", required=True, help="Why; kept with the task.")
@click.option("--to-person", is_flag=True, help="Nobody else may claim it until a person has looked.")
def release(task: str, *, reason: str, to_person: bool) -> None:
    """Release a task."""
    found = in_workspace(fix_tasks.release_fix_task, task, reason=reason, to_person=to_person)
    say(f"{found.id} is {found.status} again" if not to_person else f"{found.id} waits for a person")


def claim_line(one: FixTask) -> str:
    """The command that claims a task."""
    return f"pk fixes claim {one.id}"


def _none(statuses: Sequence[FixStatus]) -> str:
    """The message for an empty list; with a filter it says nothing about other tasks."""
    if statuses:
        return f"no task is {' or '.join(statuses)}"
    return "nothing to fix as of the last sweep; to look again: pk health sweep"


def _print_row(one: FixTask) -> None:
    tries = f", {count(one.attempts, 'failed try', 'failed tries')}" if one.attempts else ""
    holder = f" by {one.claimed_by}" if one.claimed_by else ""
    say(f"{bold(one.id)}  {dim(f'{one.status}{holder}{tries}, {one.kind}')}  {one.description.splitlines()[0]}")
    if one.atoms:
        say(f"  {mark('error')} breaks {', '.join(one.atoms)}")
    if one.note:
        say(dim(f"  {one.note}"))


def _print_detail(found: FixDetail) -> None:
    task = found.task
    _print_row(task)
    for line in task.description.splitlines()[1:]:
        say(f"  {line}")
    say(dim(f"  accepted when: {task.acceptance}"))
    say(dim(f"  branch {task.branch}, from {task.commit[:12]}"))
    if task.scope:
        say(dim(f"  files: {', '.join(task.scope)}"))
    for one in found.findings:
        _print_finding(one)
    if found.window is not None:
        _print_window(found.window)
    if task.status in CLAIMABLE:
        say(dim(f"  take it: {claim_line(task)}"))


def _print_finding(one: HealthFinding) -> None:
    state = f"failed({one.failures})" if one.state == "failed" else one.state
    atoms = f"; proves {', '.join(one.atoms)}" if one.atoms else ""
    named = one.diagnostic.test or one.diagnostic.file or one.diagnostic.check
    say(dim(f"  {one.diagnostic.fingerprint} {state}{' flaky' if one.flaky else ''}: {named}{atoms}"))


def _print_window(window: Window) -> None:
    if not window.good:
        say(dim(f"  first seen at {window.bad[:12]}; no earlier sweep judged this check"))
        return
    say(dim(f"  introduced after {window.good[:12]}, by {window.bad[:12]} at the latest:"))
    for name, subject in window.commits:
        say(dim(f"    {name[:12]} {subject}"))


def _print_completed(found: Completed) -> None:
    if found.acceptance.accepted:
        say(f"{bold(found.task.id)} is done: {found.acceptance.commit[:12]} is taken")
        return
    say(f"{bold(found.task.id)} is not done; {found.acceptance.commit[:12]} is refused:")
    for one in found.acceptance.refusals:
        say(f"  {mark('warning' if one.doubtful else 'error')} {one}")
    if all(one.doubtful for one in found.acceptance.refusals):
        again = f"pk fixes complete {found.task.id} --commit {found.acceptance.commit[:12]} --despite REASON"
        say(dim(f"  this doesn't count as a try; a person who has reviewed it can accept it: {again}"))
    say(dim(f"  the task is {found.task.status} now, after {count(found.task.attempts, 'failed try', 'failed tries')}"))
