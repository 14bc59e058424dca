"""`pk boards`: the task and document boards that are set up."""

from __future__ import annotations

from dataclasses import asdict
from typing import Final

import click

from pactkeeper.doors.cli.groups import CommandGroup
from pactkeeper.doors.cli.output import bold, count, dim, document, mark, say
from pactkeeper.doors.cli.parameters import as_json, personal, within
from pactkeeper.intent.board import Document, Snapshot, Task
from pactkeeper.operators import boards
from pactkeeper.operators.boards import ListedBoard, ShownBoard
from pactkeeper.published.plain import Codec, plain

board_argument = click.argument("board", default="", metavar="[BOARD]")


@click.group(cls=CommandGroup, default="list")
def command() -> None:
    """List, test and show task boards and documents.

    Boards are configured in boards.toml; without it, a folder in your home directory is the board. docs/boards.md lists
    the keys.
    """


@command.command("list")
@as_json
def list_command(*, json_: bool) -> None:
    """List the configured boards without contacting them."""
    found = within(personal, boards.list_boards)
    if json_:
        document({"source": found.source, "boards": _LISTED.each(found.boards)}, "boards/1")
        return
    for one in found.boards:
        default = "  default" if one.default else ""
        say(f"{bold(one.name)}  {one.kind}  {one.place}{dim(default)}")
        if one.token is False:
            say(f"  {mark('warning')} the variable {one.token_env} holds no token")
    if not found.boards:
        say("no board is configured, and there is no home folder for one; docs/boards.md shows how to configure one")


@command.command("test")
@board_argument
@as_json
def test_command(board: str, *, json_: bool) -> int:
    """Check that BOARD can be reached and has what writing needs, without writing; exit 1 if not."""
    found = within(personal, boards.try_board, board)
    if json_:
        document({**plain(found), "works": found.works}, "board-test/1")
    else:
        say(f"{bold(found.name)}  {found.kind}  {found.place}")
        for trial in found.trials:
            say(f"  {'ok' if trial.works else mark('error')}  {trial.what}")
            if trial.advice:
                say(f"      {trial.advice}")
    return 0 if found.works else 1


@command.command("show")
@board_argument
@click.option("--item", metavar="ID", help="Show one task or document in full.")
@as_json
def show_command(board: str, *, item: str | None, json_: bool) -> int:
    """Show the tasks and documents of BOARD and its health; exit 1 if it did not show everything."""
    with personal() as opened:
        if item is not None:
            return _show_item(boards.show_board_item(opened, item, board), json_=json_)
        found = boards.show_board(opened, board)
    if json_:
        document(found, "board/1")
    else:
        _print(found)
    return 0 if found.snapshot.health.status == "complete" else 1


_LISTED: Final = Codec(
    ListedBoard,
    "name kind place default writes= documents=capabilities.documents marker=capabilities.marker token_env token",
    writes=lambda one: sorted(one.capabilities.writes),
)


def _show_item(found: Task | Document, *, json_: bool) -> int:
    if json_:
        kind = "task" if isinstance(found, Task) else "document"
        document({"schema": f"pactkeeper.board-{kind}/1", **asdict(found)})
        return 0
    say(f"{bold(found.title)}  {dim(found.id)}  {dim(found.url)}")
    say(found.body)
    return 0


def _print(found: ShownBoard) -> None:
    snapshot = found.snapshot
    say(f"{bold(found.name)}  {found.kind}  {found.place}")
    for task in snapshot.tasks:
        facts = ", ".join(part for part in (*task.labels, task.due and f"due {task.due}") if part)
        say(f"  {task.status:<5}  {task.title}  {dim(task.id)}  {dim(facts)}".rstrip())
    for one in snapshot.documents:
        say(f"  {'doc':<5}  {one.title}  {dim(one.id)}  {dim(one.section)}".rstrip())
    say(f"{count(len(snapshot.tasks), 'task')}, {count(len(snapshot.documents), 'document')}, {_health(snapshot)}")


def _health(snapshot: Snapshot) -> str:
    health = snapshot.health
    if health.status == "complete":
        return "complete"
    return f"{mark('warning')} {health.status}: {health.reason}"
