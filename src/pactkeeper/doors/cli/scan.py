"""`pk scan`: every test with its links."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import click

from pactkeeper.doors.cli.output import count, dim, document, line_of, mark, place_of, say, tally
from pactkeeper.doors.cli.parameters import as_json, paths_argument, snapshot_options, workspace
from pactkeeper.intent.links import LinkedTest
from pactkeeper.operators.observe import ScanReport, scan_repo
from pactkeeper.operators.view import View

SCHEMA = "pactkeeper.scan/1"
MOST_SHOWN = 40  # gaps on a terminal


@click.command()
@paths_argument
@snapshot_options
@as_json
@click.pass_context
def command(ctx: click.Context, paths: tuple[str, ...], *, staged: bool, at: str | None, json_: bool) -> int:
    """List every test below PATH (default: the whole repository) with its links.

    Works without a pact. What cannot be seen completely is listed as a gap, never left out in silence.
    """
    with workspace(ctx, paths) as (opened, inside):
        report = scan_repo(opened, View(at, staged, inside))
    if json_:
        document(as_document(report))
    else:
        _print(report)
    return 0


def as_document(report: ScanReport) -> Mapping[str, object]:
    """The published form."""
    gaps = report.world.scan.gaps
    states = Counter(entry.state for entry in report.linked)
    return {
        "schema": SCHEMA,
        "tests": [_test(entry) for entry in report.linked],
        "gaps": [{"file": gap.file, "line": gap.line, "reason": gap.reason} for gap in gaps],
        "summary": {
            "snapshot": report.snapshot,
            "tests": len(report.linked),
            "files": len({entry.test.file for entry in report.linked}),
            "gaps": len(gaps),
            "states": dict(sorted(states.items())),
            "frameworks": dict(sorted(Counter(entry.test.framework for entry in report.linked).items())),
        },
    }


def _test(entry: LinkedTest) -> Mapping[str, object]:
    test = entry.test
    return {
        "id": test.id,
        "file": test.file,
        "suite": list(test.suite),
        "name": test.name,
        "line": test.name_line,
        "end_line": test.end_line,
        "language": test.language,
        "framework": test.framework,
        "cases": test.cases,
        "dynamic": test.dynamic,
        "body_hash": test.body_hash,
        "links": [{"atom": link.atom, "state": link.state, "carrier": link.carrier} for link in entry.links],
        "state": entry.state,
    }


def _print(report: ScanReport) -> None:
    file = None
    for entry in report.linked:
        test = entry.test
        if test.file != file:
            file = test.file
            say(line_of(file))
        cases = "" if test.cases == 1 else f" ({'?' if test.cases is None else test.cases} cases)"
        links = f"  {', '.join(link.atom for link in entry.links)}" if entry.links else ""
        name = " › ".join((*test.suite, test.name)).replace("\n", " ")
        say(f"  {test.name_line:>5}  {entry.state:<12}  {name}{dim(cases + links)}")
    gaps = report.world.scan.gaps
    for gap in gaps[:MOST_SHOWN]:
        place = place_of(gap.file, gap.line)
        say(f"{mark('warning')} {place}: {gap.reason}")
    if len(gaps) > MOST_SHOWN:
        say(f"  and {count(len(gaps) - MOST_SHOWN, 'more gap')}: --json lists all")
    states = Counter(entry.state for entry in report.linked)
    files = len({entry.test.file for entry in report.linked})
    say(
        f"{count(len(report.linked), 'test')} in {count(files, 'file')} of {report.snapshot}: "
        f"{tally(sorted(states.items())) or 'none'}; {count(len(gaps), 'gap')}"
    )
