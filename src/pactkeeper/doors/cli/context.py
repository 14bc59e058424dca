"""`pk context`: what belongs to a test."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

import click

from pactkeeper.doors.cli.docs import passage_document
from pactkeeper.doors.cli.output import bold, dim, document, say, until_closed, verbatim
from pactkeeper.doors.cli.parameters import as_json, snapshot_options, workspace
from pactkeeper.intent.context import BUDGET, TestContext, lines_of, related_docs
from pactkeeper.operators.context import get_test_analysis
from pactkeeper.operators.view import View

SCHEMA = "pactkeeper.context/1"


@click.command()
@click.argument("tests", nargs=-1, required=True, metavar="TEST...")
@click.option("--budget", type=int, default=BUDGET, show_default=True, help="Characters that one context may have.")
@snapshot_options
@as_json
@click.pass_context
def command(  # noqa: PLR0913 - one argument an option
    ctx: click.Context, tests: tuple[str, ...], *, budget: int, staged: bool, at: str | None, json_: bool
) -> int:
    """Show what TEST asserts, what it is about, the code it reaches and the documents about that.

    TEST is an id, a file, a folder, or FILE:LINE. The most useful comes first; what the budget leaves out is counted.
    """
    with workspace(ctx) as (opened, _):
        found = get_test_analysis(opened, View(at, staged), tests, budget=budget)
    with until_closed():
        if json_:
            document({"schema": SCHEMA, "tests": [as_document(one) for one in found]})
            return 0
        for position, one in enumerate(found):
            if position:
                say()
            _print(one)
    return 0


def as_document(context: TestContext) -> Mapping[str, object]:
    """The published form of one context."""
    return {
        "test": context.test,
        "assertions": [asdict(one) for one in context.assertions],
        "concepts": {"domain": list(context.concepts.domain), "technical": list(context.concepts.technical)},
        "code": [asdict(one) for one in context.code],
        "documents": [passage_document(one) for one in context.documents],
        "related_files": [asdict(one) for one in context.related],
        "related_docs": list(related_docs(context)),
        "left_out": dict(context.cut),
        "budget": context.budget,
        "size": context.size,
    }


def _print(context: TestContext) -> None:
    say(bold(context.test))
    for line in lines_of(context):
        verbatim(line if line.startswith(" ") else dim(line))
