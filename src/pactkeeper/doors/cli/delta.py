"""`pk delta`: which tests changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import click

from pactkeeper.doors.cli.output import count, dim, document, line_of, mark, say
from pactkeeper.doors.cli.parameters import as_json, paths_argument, snapshot_options, workspace
from pactkeeper.operators.observe import DeltaReport, discover_delta
from pactkeeper.operators.view import StateView

SCHEMA = "pactkeeper.delta/1"


@click.command()
@paths_argument
@click.option("--since", metavar="REF", help="Compare with this commit.")
@snapshot_options
@as_json
@click.pass_context
def command(  # noqa: PLR0913 - one argument an option
    ctx: click.Context, paths: tuple[str, ...], *, since: str | None, staged: bool, at: str | None, json_: bool
) -> int:
    """Compare tests with a commit, test by test: added, modified, moved, renamed, deleted.

    Without --since the base is the commit of the last run, or the point where HEAD left the main branch. Where there is
    neither, that is an error: everything is never looked at instead without being asked for.
    """
    with workspace(ctx, paths) as (opened, inside):
        report = discover_delta(opened, StateView(at, staged, inside), since=since)
    if json_:
        document(as_document(report))
    else:
        _print(report)
    return 0


def as_document(report: DeltaReport) -> Mapping[str, object]:
    """The published form."""
    delta = report.delta
    return {
        "schema": SCHEMA,
        "base": report.base,
        "target": report.target,
        "added": list(delta.added),
        "modified": list(delta.modified),
        "moved": _steps(delta.moved),
        "renamed": _steps(delta.renamed),
        "deleted": list(delta.deleted),
        "changed_linked": list(report.changed_linked),
        "orphans": list(report.orphans),
        "atoms_without_tests": list(report.atoms_without_tests),
        "unseen": list(delta.unseen),
        "gaps": [{"file": gap.file, "line": gap.line, "reason": gap.reason} for gap in delta.gaps],
    }


def _steps(steps: Sequence[tuple[str, str]]) -> list[Mapping[str, str]]:
    return [{"from": old, "to": new} for old, new in steps]


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
