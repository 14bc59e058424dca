"""`pk doctor`: whether everything that Pactkeeper needs is there."""

from __future__ import annotations

from pathlib import Path

import click

from pactkeeper.doors.cli.output import document, say
from pactkeeper.doors.cli.parameters import as_json
from pactkeeper.errors import UsageError
from pactkeeper.operators.doctor import examine_installation

WORDS = {"ok": "ok      ", "optional": "not used", "wrong": "WRONG   "}


@click.command()
@as_json
@click.pass_context
def command(ctx: click.Context, *, json_: bool) -> int:
    """Look at versions, extras, folders, repository, database, clocks and ports; exit 1 where something is wrong.

    Nothing is changed. A line that is not ok ends with what to do about it.
    """
    folder = Path(ctx.obj)
    if not folder.is_dir():
        raise UsageError(f"-C {ctx.obj!r} is no folder")
    lines = examine_installation(folder.resolve())
    wrong = sum(one.state == "wrong" for one in lines)
    if json_:
        document({"lines": lines, "wrong": wrong})
        return int(wrong > 0)
    for one in lines:
        say(f"{WORDS[one.state]} {one.name}: {one.found}{f' -> {one.todo}' if one.todo else ''}")
    return int(wrong > 0)
