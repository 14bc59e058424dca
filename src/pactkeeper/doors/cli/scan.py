"""`pk scan`: every test with its links."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import click

from pactkeeper.doors.cli.output import count, dim, document, line_of, mark, place_of, say, tally
from pactkeeper.doors.cli.parameters import as_json, paths_argument, snapshot_options, workspace
from pactkeeper.operators.observe import ScanReport, TestRow, scan_repo
from pactkeeper.operators.view import StateView

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
        report = scan_repo(opened, StateView(at, staged, inside))
    if json_:
        document(as_document(report))
    else:
        _print(report)
    return 0


def as_document(report: ScanReport) -> Mapping[str, object]:
    """The published form."""
    states = Counter(test.state for test in report.tests)
    return {
        "schema": SCHEMA,
        "tests": [_test(test) for test in report.tests],
        "gaps": [{"file": gap.file, "line": gap.line, "reason": gap.reason} for gap in report.gaps],
        "summary": {
            "snapshot": report.snapshot,
            "tests": len(report.tests),
            "files": len({test.file for test in report.tests}),
            "gaps": len(report.gaps),
            "states": dict(sorted(states.items())),
            "frameworks": dict(sorted(Counter(test.framework for test in report.tests).items())),
        },
    }


def _test(test: TestRow) -> Mapping[str, object]:
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
        "links": [{"atom": atom, "state": state, "carrier": carrier} for atom, state, carrier in test.links],
        "state": test.state,
    }


def _print(report: ScanReport) -> None:
    file = None
    for test in report.tests:
        if test.file != file:
            file = test.file
            say(line_of(file))
        cases = "" if test.cases == 1 else f" ({'?' if test.cases is None else test.cases} cases)"
        links = f"  {', '.join(atom for atom, _, _ in test.links)}" if test.links else ""
        name = " › ".join((*test.suite, test.name)).replace("\n", " ")
        say(f"  {test.name_line:>5}  {test.state:<12}  {name}{dim(cases + links)}")
    gaps = report.gaps
    for gap in gaps[:MOST_SHOWN]:
        place = place_of(gap.file, gap.line)
        say(f"{mark('warning')} {place}: {gap.reason}")
    if len(gaps) > MOST_SHOWN:
        say(f"  and {count(len(gaps) - MOST_SHOWN, 'more gap')}: --json lists all")
    states = Counter(test.state for test in report.tests)
    files = len({test.file for test in report.tests})
    say(
        f"{count(len(report.tests), 'test')} in {count(files, 'file')} of {report.snapshot}: "
        f"{tally(sorted(states.items())) or 'none'}; {count(len(gaps), 'gap')}"
    )
