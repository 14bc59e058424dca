"""`pk context`: what belongs to a test."""

from __future__ import annotations

import click

from pactkeeper.doors.cli.output import bold, dim, document, say, until_closed, verbatim
from pactkeeper.doors.cli.parameters import as_json, snapshot_options, workspace
from pactkeeper.intent.context import BUDGET, TestContext, lines_of
from pactkeeper.operators.documents import get_test_analysis
from pactkeeper.operators.view import StateView
from pactkeeper.published.contexts import CONTEXT

SCHEMA = "context/1"


@click.command()
@click.argument("tests", nargs=-1, required=True, metavar="TEST...")
@click.option("--budget", type=int, default=BUDGET, show_default=True, help="Characters that one context may have.")
@snapshot_options
@as_json
def command(tests: tuple[str, ...], *, budget: int, staged: bool, at: str | None, json_: bool) -> None:
    """Show what TEST asserts, what it is about, the code it reaches and the documents about that.

    TEST is an id, a file, a folder, or FILE:LINE. The most useful comes first; what the budget leaves out is counted.
    """
    with workspace() as (opened, _):
        found = get_test_analysis(opened, StateView(at, staged), tests, budget=budget)
    with until_closed():
        if json_:
            document({"tests": CONTEXT.each(found)}, SCHEMA)
            return
        for position, one in enumerate(found):
            if position:
                say()
            _print(one)


def _print(context: TestContext) -> None:
    say(bold(context.test))
    for line in lines_of(context):
        verbatim(line if line.startswith(" ") else dim(line))
