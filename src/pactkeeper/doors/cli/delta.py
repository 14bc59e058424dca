"""`pk delta`: which tests changed."""

from __future__ import annotations

from typing import Final

import click

from pactkeeper.doors.cli.output import count, dim, document, line_of, mark, say
from pactkeeper.doors.cli.parameters import as_json, paths_argument, snapshot_options, workspace
from pactkeeper.operators.observe import DeltaReport, discover_delta
from pactkeeper.operators.view import StateView
from pactkeeper.published.plain import GAP, Codec


@click.command()
@paths_argument
@click.option("--since", metavar="REF", help="Compare with this commit.")
@snapshot_options
@as_json
def command(paths: tuple[str, ...], *, since: str | None, staged: bool, at: str | None, json_: bool) -> None:
    """Compare tests with a commit, test by test: added, modified, moved, renamed, deleted.

    Without --since the base is the commit of the last run, or the point where HEAD left the main branch. Where there is
    neither, that is an error: everything is never looked at instead without being asked for.
    """
    with workspace(paths) as (opened, inside):
        report = discover_delta(opened, StateView(at, staged, inside), since=since)
    if json_:
        document(_REPORT(report), "delta/1")
    else:
        _print(report)


def _step(step: tuple[str, str]) -> dict[str, str]:
    return {"from": step[0], "to": step[1]}


_REPORT: Final = Codec(
    DeltaReport,
    "base target added=delta.added modified=delta.modified moved=delta.moved renamed=delta.renamed"
    " deleted=delta.deleted changed_linked orphans atoms_without_tests unseen=delta.unseen gaps=delta.gaps",
    moved=_step,
    renamed=_step,
    gaps=GAP,
)


def _print(report: DeltaReport) -> None:
    delta = report.delta
    for word, names in (("added", delta.added), ("modified", delta.modified), ("deleted", delta.deleted)):
        for name in names:
            say(f"{word:<9} {name}{_marks(report, name)}")
    for word, steps in (("moved", delta.moved), ("renamed", delta.renamed)):
        for old, new in steps:
            say(f"{word:<9} {old} {dim('→')} {new}")
    for name in delta.unseen:
        say(f"{'unseen':<9} {name} {dim('(a gap hides whether it changed)')}")
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
