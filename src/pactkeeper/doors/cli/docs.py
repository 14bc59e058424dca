"""`pk docs` and `pk context`: the repository's documents, and the context of a test."""

from __future__ import annotations

from pathlib import Path

import click

from pactkeeper.doors.cli.groups import CommandGroup
from pactkeeper.doors.cli.output import (
    bold,
    count,
    dim,
    document,
    line_of,
    mark,
    note,
    place_of,
    say,
    until_closed,
    verbatim,
)
from pactkeeper.doors.cli.parameters import as_json, in_workspace, snapshot_options, workspace
from pactkeeper.intent.context import BUDGET, TestContext, lines_of
from pactkeeper.operators.documents import MOST, DocumentSearch, get_test_analysis, search_docs_by_concepts
from pactkeeper.operators.view import StateView
from pactkeeper.published.contexts import CONTEXT, SEARCH


@click.group(cls=CommandGroup)
def command() -> None:
    """Search documents and documentation comments."""


@command.command()
@click.argument("words", nargs=-1, required=True)
@click.option("--path", "paths", multiple=True, metavar="PATH", help="Search below this path only; repeatable.")
@click.option("--max", "most", type=click.IntRange(min=1), default=MOST, show_default=True, help="Show at most N.")
@snapshot_options
@as_json
@click.pass_context
def search(  # noqa: PLR0913 - one argument per option
    ctx: click.Context,
    words: tuple[str, ...],
    *,
    paths: tuple[str, ...],
    most: int,
    staged: bool,
    at: str | None,
    json_: bool,
) -> None:
    """Find the sections of Markdown, reStructuredText and documentation comments that match WORDS best.

    Sections with all the words come first. There is no query syntax.
    """
    with workspace() as (opened, _):
        inside = opened.relative(paths, start=Path(ctx.obj))
        report = search_docs_by_concepts(opened, StateView(at, staged, inside), words, most=most)
    with until_closed():
        if json_:
            document(SEARCH(report), "docs/1")
        else:
            _print(report)


def _print(report: DocumentSearch) -> None:
    found = report.found
    for one in found.passages:
        trail = f"  {' › '.join(one.trail)}" if one.trail else ""
        say(f"{bold(place_of(one.path, one.line))}{trail}")
        if one.excerpt:
            say(f"    {dim(one.excerpt)}")
    for gap in report.gaps:
        say(f"{mark('warning')} {line_of(gap.file)}: {gap.reason}; it was not searched")
    if found.dropped:
        note(f"not looked for: {', '.join(found.dropped)}")
    shown = f"{len(found.passages):,} of " if found.total > len(found.passages) else ""
    say(f"{shown}{count(found.total, 'section')} in {count(report.files, 'file')} of {report.snapshot}")


_CONTEXT = "context/1"


@click.command()
@click.argument("tests", nargs=-1, required=True, metavar="TEST...")
@click.option("--budget", type=int, default=BUDGET, show_default=True, help="Most characters per context.")
@snapshot_options
@as_json
def context(tests: tuple[str, ...], *, budget: int, staged: bool, at: str | None, json_: bool) -> None:
    """Show what TEST asserts, what it is about, the code it reaches and related documents.

    TEST is an id, a file, a folder, or FILE:LINE. The most useful comes first; what exceeds the budget is counted.
    """
    found = in_workspace(get_test_analysis, StateView(at, staged), tests, budget=budget)
    with until_closed():
        if json_:
            document({"tests": CONTEXT.each(found)}, _CONTEXT)
            return
        for position, one in enumerate(found):
            if position:
                say()
            _print_context(one)


def _print_context(context: TestContext) -> None:
    say(bold(context.test))
    for line in lines_of(context):
        verbatim(line if line.startswith(" ") else dim(line))
