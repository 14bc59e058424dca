"""`pk annotate`: move links between test comments and the pact."""

from __future__ import annotations

import click

from pactkeeper.doors.cli.output import count, mark, say
from pactkeeper.doors.cli.parameters import dry_run_option, workspace
from pactkeeper.operators.annotate import Carrier, convert_links


@click.command()
@click.argument("tests", nargs=-1, metavar="[TEST]...")
@click.option("--to", type=click.Choice(["comment", "sidecar"]), required=True, help="Where the links shall stand.")
@dry_run_option
def command(tests: tuple[str, ...], *, to: Carrier, dry_run: bool) -> None:
    """Move the links of TESTs (default: of all) into comments above them, or from there into the pact's links folder.

    Both mean the same. TEST is a test id, `file:line`, a file or a folder. A link stays where it is when no comment can
    be placed or removed safely, and the command says so.
    """
    with workspace() as (opened, _):
        done = convert_links(opened, tests, to, dry_run=dry_run)
    if dry_run:
        for line in done.diff():
            say(line)
    for test, reason in done.refused:
        say(f"{mark('warning')} {test} stays as it is: {reason}")
    verb = "would move" if dry_run else "moved"
    say(f"{verb} {count(done.moved, 'link')} in {count(len(done.edits), 'file')}")
