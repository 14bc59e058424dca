"""`pk scan`: every test with its links."""

from __future__ import annotations

from collections import Counter
from typing import Final

import click

from pactkeeper.doors.cli.output import count, dim, document, line_of, mark, place_of, say, tally
from pactkeeper.doors.cli.parameters import as_json, paths_argument, snapshot_options, workspace
from pactkeeper.operators.observe import ScanReport, TestRow, scan_repo
from pactkeeper.operators.view import StateView
from pactkeeper.published.plain import GAP, Codec

MOST_SHOWN = 40  # gaps on a terminal


@click.command()
@paths_argument
@snapshot_options
@as_json
def command(paths: tuple[str, ...], *, staged: bool, at: str | None, json_: bool) -> None:
    """List every test below PATH (default: the whole repository) with its links.

    Works without a pact. What cannot be seen completely is listed as a gap, never left out in silence.
    """
    with workspace(paths) as (opened, inside):
        report = scan_repo(opened, StateView(at, staged, inside))
    if json_:
        document(_REPORT(report), "scan/1")
    else:
        _print(report)


_TEST: Final = Codec(
    TestRow,
    "id file suite name line=name_line end_line language framework cases dynamic body_hash links state",
    links=lambda one: dict(zip(("atom", "state", "carrier"), one, strict=True)),
)


def _summary(report: ScanReport) -> dict[str, object]:
    return {
        "snapshot": report.snapshot,
        "tests": len(report.tests),
        "files": len({test.file for test in report.tests}),
        "gaps": len(report.gaps),
        "states": Counter(test.state for test in report.tests),
        "frameworks": Counter(test.framework for test in report.tests),
    }


_REPORT: Final = Codec(ScanReport, "tests gaps summary=", tests=_TEST, gaps=GAP, summary=_summary)


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
