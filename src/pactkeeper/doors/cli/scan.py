"""`pk scan` and `pk delta`: every test with its links, and which tests changed."""

from __future__ import annotations

from collections import Counter
from typing import Final

import click

from pactkeeper.doors.cli.output import count, dim, document, line_of, mark, place_of, say, tally
from pactkeeper.doors.cli.parameters import as_json, paths_argument, snapshot_options, workspace
from pactkeeper.operators.observe import DeltaReport, ScanReport, TestRow, discover_delta, scan_repo
from pactkeeper.operators.view import StateView
from pactkeeper.published.plain import GAP, Codec

MOST_SHOWN = 40  # blind spots on a terminal


@click.command()
@paths_argument
@snapshot_options
@as_json
def command(paths: tuple[str, ...], *, staged: bool, at: str | None, json_: bool) -> None:
    """List every test below PATH (default: the whole repository) with its links.

    Works without a pact. What cannot be read completely is listed as a blind spot, never silently skipped.
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
        say(f"  and {len(gaps) - MOST_SHOWN:,} more: --json lists all")
    states = Counter(test.state for test in report.tests)
    files = len({test.file for test in report.tests})
    say(
        f"{count(len(report.tests), 'test')} in {count(files, 'file')} of {report.snapshot}: "
        f"{tally(sorted(states.items())) or 'none'}"
        + (f"; {count(len(gaps), 'place')} could not be read completely" if gaps else "")
    )


@click.command()
@paths_argument
@click.option("--since", metavar="REF", help="Compare with this commit.")
@snapshot_options
@as_json
def delta_command(paths: tuple[str, ...], *, since: str | None, staged: bool, at: str | None, json_: bool) -> None:
    """Compare tests with a commit, test by test: added, modified, moved, renamed, deleted.

    Without --since the base is the commit of the last run, or the point where HEAD left the main branch. If there is
    neither, that is an error, so a full scan never happens unasked.
    """
    with workspace(paths) as (opened, inside):
        report = discover_delta(opened, StateView(at, staged, inside), since=since)
    if json_:
        document(_DELTA(report), "delta/1")
    else:
        _print_delta(report)


def _step(step: tuple[str, str]) -> dict[str, str]:
    return {"from": step[0], "to": step[1]}


_DELTA: Final = Codec(
    DeltaReport,
    "base target added=delta.added modified=delta.modified moved=delta.moved renamed=delta.renamed"
    " deleted=delta.deleted changed_linked orphans atoms_without_tests unseen=delta.unseen gaps=delta.gaps",
    moved=_step,
    renamed=_step,
    gaps=GAP,
)


def _print_delta(report: DeltaReport) -> None:
    delta = report.delta
    for word, names in (("added", delta.added), ("modified", delta.modified), ("deleted", delta.deleted)):
        for name in names:
            say(f"{word:<9} {name}{_marks(report, name)}")
    for word, steps in (("moved", delta.moved), ("renamed", delta.renamed)):
        for old, new in steps:
            say(f"{word:<9} {old} {dim('→')} {new}")
    for name in delta.unseen:
        say(f"{'unseen':<9} {name} {dim('(a blind spot hides whether it changed)')}")
    for atom in report.atoms_without_tests:
        say(f"{mark('warning')} {atom} lost its last test")
    for gap in delta.gaps:
        say(f"{mark('warning')} {line_of(gap.file)}: {gap.reason}")
    changes = sum(map(len, (delta.added, delta.modified, delta.moved, delta.renamed, delta.deleted)))
    target = report.target[:12] if report.target not in {"worktree", "index"} else report.target
    say(f"{count(changes, 'change')} from {report.base[:12]} to {target}; {count(len(report.orphans), 'orphan')}")


def _marks(report: DeltaReport, name: str) -> str:
    marks = ["linked"] if name in report.changed_linked else []
    marks += ["orphan"] if name in report.orphans else []
    return dim(f"  ({', '.join(marks)})") if marks else ""
