"""`pk report`: the state of repository and pact, for people who only read."""

from __future__ import annotations

from pathlib import Path

import click

from pactkeeper.doors.cli.output import ensure_writable, note, write_out
from pactkeeper.doors.cli.parameters import workspace
from pactkeeper.operators.report import make_report


@click.command()
@click.option("--html", type=click.Path(path_type=Path), metavar="FILE", help="Write one self-contained page.")
@click.option("--badge", type=click.Path(path_type=Path), metavar="FILE", help="Write a small SVG picture.")
@click.option("--markdown", is_flag=True, help="Print a summary in Markdown; the default without a file.")
def command(*, html: Path | None, badge: Path | None, markdown: bool) -> None:
    """Make a page, a summary or a badge of where the repository and its pact stand.

    The same repository and history give the same bytes. The exit code is 0 whatever stands in it: `pk check` judges.
    """
    for place, option in ((html, "--html"), (badge, "--badge")):
        if place is not None:
            ensure_writable(place, option)
    with workspace() as (opened, _):
        found = make_report(opened)
    from pactkeeper.published import report  # noqa: PLC0415 - templates are loaded only when there is something to show

    for place, text in ((html, report.report_page), (badge, report.report_badge)):
        if place is not None:
            write_out(place, text(found))
            note(f"wrote {place}")
    if markdown or (html is None and badge is None):
        click.echo(report.report_markdown(found), nl=False)
