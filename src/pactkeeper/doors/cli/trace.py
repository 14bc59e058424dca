"""`pk trace`: from an atom to where it came from, and back."""

from __future__ import annotations

import click

from pactkeeper.doors.cli.output import bold, dim, document, say
from pactkeeper.doors.cli.parameters import as_json, workspace
from pactkeeper.operators.recommendations import trace_origin


@click.command()
@click.argument("name", metavar="ATOM|OP|RUN|TEST")
@as_json
def command(name: str, *, json_: bool) -> None:
    """Follow an atom, a recommendation, a run or a test: atom, recommendation, run, decision, test."""
    with workspace() as (opened, _):
        found = trace_origin(opened, name)
    if json_:
        document({"traces": found}, "trace/1")
        return
    for one in found:
        say(f"{bold(one.atom or 'no atom yet')}  {dim(one.status)}")
        say(f"  recommended  {one.recommendation or 'not by a run'}")
        say(f"  by run       {one.run or 'none that this history knows'}")
        say(f"  decided      {one.decided or 'not that this history knows'}")
        say(f"  from test    {one.test or 'none'}")
