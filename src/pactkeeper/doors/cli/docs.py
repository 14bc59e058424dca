"""`pk docs`: the documents of the repository."""

from __future__ import annotations

from pathlib import Path

import click

from pactkeeper.doors.cli.groups import CommandGroup
from pactkeeper.doors.cli.output import bold, count, dim, document, line_of, mark, note, place_of, say, until_closed
from pactkeeper.doors.cli.parameters import as_json, snapshot_options, workspace
from pactkeeper.operators.documents import MOST, DocumentSearch, search_docs_by_concepts
from pactkeeper.operators.view import StateView
from pactkeeper.published.contexts import SEARCH


@click.group(cls=CommandGroup)
def command() -> None:
    """Search what people wrote about the code: documents and documentation comments."""


@command.command()
@click.argument("words", nargs=-1, required=True)
@click.option("--path", "paths", multiple=True, metavar="PATH", help="Search below this path only; repeatable.")
@click.option("--max", "most", type=click.IntRange(min=1), default=MOST, show_default=True, help="Show so many.")
@snapshot_options
@as_json
@click.pass_context
def search(  # noqa: PLR0913 - one argument an option
    ctx: click.Context,
    words: tuple[str, ...],
    *,
    paths: tuple[str, ...],
    most: int,
    staged: bool,
    at: str | None,
    json_: bool,
) -> None:
    """Find the sections of Markdown, reStructuredText and documentation comments that WORDS fit best.

    Sections that hold all words come first. Words are words: nothing in them is syntax.
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
