"""`pk agents`: tell this repository's coding agents about its pact."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from typing import Final

import click

from pactkeeper.agents.planning import FileChange
from pactkeeper.agents.table import AGENTS
from pactkeeper.catalog.journal import FileEdit
from pactkeeper.doors.cli.apply import print_diff
from pactkeeper.doors.cli.groups import CommandGroup
from pactkeeper.doors.cli.output import count, dim, document, note, say
from pactkeeper.doors.cli.parameters import as_json, attended, in_workspace, workspace
from pactkeeper.errors import how_to_install
from pactkeeper.operators.agents import AgentPlan, plan_agents, show_agents, write_agents
from pactkeeper.published.plain import Codec
from pactkeeper.reconcile.applying import file_diff
from pactkeeper.workspace import Workspace

NOT_AGREED = 1
agent_option = click.option(
    "--agent",
    "names",
    multiple=True,
    metavar="NAME",
    help=f"Only this agent; repeatable. Known: {', '.join(one.name for one in AGENTS)}.",
)
yes_option = click.option("--yes", is_flag=True, help="Write without asking.")

_CHANGE: Final = Codec(FileChange, "name=agent.name title=agent.title file=agent.path standing")


@click.group(cls=CommandGroup, default="list")
def command() -> None:
    """Tell the coding agents that work here about the pact.

    Adds a section to AGENTS.md, a pointer to it in CLAUDE.md, a skill, and an entry for `pk mcp` in each client's list
    of MCP servers.
    """


@command.command()
@agent_option
@yes_option
def install(names: tuple[str, ...], *, yes: bool) -> int:
    """Show what would be written, ask, then write it; other keys and lines stay as they are.

    Without --agent: AGENTS.md, CLAUDE.md, the skill, .mcp.json, and every client that has a file or folder here.
    Without a terminal, nothing is written unless --yes is given, and the exit code is 1.
    """
    return _carry_out(names, yes=yes, remove=False)


@command.command()
@agent_option
@yes_option
def remove(names: tuple[str, ...], *, yes: bool) -> int:
    """Remove what `pk agents install` wrote; hand-edited parts stay and are listed."""
    return _carry_out(names, yes=yes, remove=True)


@command.command("list")
@as_json
def list_command(*, json_: bool) -> None:
    """List the known agents with their files and status."""
    found = in_workspace(show_agents)
    if json_:
        document({"agents": _CHANGE.each(found.changes)}, "agents/1")
        return
    for one in found.changes:
        say(f"{one.agent.name:<13} {one.standing:<10} {one.agent.path:<38} {dim(one.agent.title)}")


def _carry_out(names: tuple[str, ...], *, yes: bool, remove: bool) -> int:
    if not remove and shutil.which("pk") is None:
        note("'pk' is not on your PATH, so no client can start its server: pipx install 'pactkeeper[mcp]'")
    if not remove and find_spec("mcp") is None:
        note(f"clients start 'pk mcp', which is not installed here: {how_to_install('mcp')}")
    with workspace() as (opened, _):
        opened.settle()
        plan = plan_agents(opened, names, remove=remove)
        for one in plan.changes:
            if one.standing == "own":
                note(f"{one.agent.path}: somebody wrote 'pactkeeper' there in a different form; it stays as it is")
        if not plan.edits:
            say("nothing to do")
            return 0
        print_diff(_diff(plan.edits))
        if not yes and not _agreed(opened, plan):
            say("nothing was written; use --yes to write it")
            return NOT_AGREED
        write_agents(opened, plan)
    say(f"{'removed from' if remove else 'written to'} {count(len(plan.edits), 'file')}; pk undo reverts it")
    return 0


def _diff(edits: Sequence[FileEdit]) -> Iterator[str]:
    """The diff of each file; one with the same change as an earlier file is only named."""
    shown: dict[tuple[bytes | None, bytes | None], str] = {}
    for edit in edits:
        first = shown.setdefault((edit.before, edit.after), edit.path)
        if first == edit.path:
            yield from file_diff(edit)
        else:
            yield f"{edit.path}: the same as {first}"


def _agreed(opened: Workspace, plan: AgentPlan) -> bool:
    """Ask the person at the terminal; without one the answer is no."""
    return attended(opened.surroundings, shown=True) and click.confirm(
        f"Write {count(len(plan.edits), 'file')}?", default=False
    )
