"""`pk scan`, `pk delta` and `pk structure`: tests with their links, which of them changed, which files import which."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

import click

from pactkeeper.doors.cli.output import (
    bold,
    count,
    dim,
    document,
    first_of,
    line_of,
    mark,
    place_of,
    say,
    tally,
    until_closed,
)
from pactkeeper.doors.cli.parameters import as_json, paths_argument, snapshot_options, workspace
from pactkeeper.intent.structure import Component, Edge, RepoStructure, SourceFile
from pactkeeper.operators.observe import DeltaReport, ScanReport, TestRow, discover_delta, scan_repo
from pactkeeper.operators.structure import StructureReport, get_repo_structure
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
        links = f"  {', '.join(test.atoms)}" if test.links else ""
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


MOST_OF_A_KIND = 20  # cycles, unresolved imports and blind spots on a terminal; --json has all
MOST_IN_A_CIRCLE = 6


@click.command()
@paths_argument
@snapshot_options
@as_json
def structure_command(paths: tuple[str, ...], *, staged: bool, at: str | None, json_: bool) -> None:
    """Show which files import each other, import cycles, and unresolved imports.

    With PATH, list the files at or below it with their imports, fewest dependencies first. Python, JavaScript and
    TypeScript. Works without a pact. The exit code is always 0.
    """
    with workspace(paths) as (opened, inside):
        report = get_repo_structure(opened, StateView(at, staged, inside))
    with until_closed():
        if json_:
            document(_STRUCTURE(report), "structure/1")
        else:
            _print_structure(report)


_FILE: Final = Codec(
    SourceFile,
    "path language= test=is_test dependencies external computed",
    language=lambda file: file.language or None,
)
_COUNTED: Final = ("files", "test_files", "edges", "components", "unresolved", "external", "gaps")


def _structure_summary(report: StructureReport) -> dict[str, int]:
    structure = report.structure
    counts = {name: len(getattr(structure, name)) for name in _COUNTED}
    return {**counts, "computed": sum(file.computed for file in structure.files)}


_STRUCTURE: Final = Codec(
    StructureReport,
    "snapshot files=structure.files test_files=structure.test_files edges=structure.edges"
    " components=structure.components order=structure.order unresolved=structure.unresolved"
    " external=structure.external gaps=structure.gaps summary=",
    files=_FILE,
    gaps=GAP,
    summary=_structure_summary,
)


def _print_structure(report: StructureReport) -> None:
    structure = report.structure
    if report.narrowed:
        _print_files(structure)
    _print_some("cycles", [_cycle(one) for one in structure.components])
    _print_some("unresolved", [f"  {one.file}:{one.line}  {one.module}" for one in structure.unresolved])
    _print_some("", [_gap(gap.file, gap.line, gap.reason) for gap in structure.gaps])
    languages = Counter(file.language or "other" for file in structure.files)
    say(
        f"{count(len(structure.files), 'file')} of {report.snapshot}: {tally(sorted(languages.items())) or 'none'}; "
        f"{len(structure.test_files):,} with tests"
    )
    say(
        f"{count(len(structure.edges), 'edge')}, {count(len(structure.components), 'cycle')}, "
        f"{len(structure.unresolved):,} unresolved, {sum(file.computed for file in structure.files):,} computed, "
        f"{count(len(structure.external), 'third-party package')}; {count(len(structure.gaps), 'blind spot')}"
    )


def _print_files(structure: RepoStructure) -> None:
    """Print files with the fewest dependencies first, each with its imports."""
    files = {file.path: file for file in structure.files}
    edges: dict[str, list[Edge]] = {}
    for edge in structure.edges:
        edges.setdefault(edge.importer, []).append(edge)
    for path in structure.order:
        say(f"{bold(path)}  {dim(_reach(files[path]))}")
        for edge in edges.get(path, ()):
            say(f"  {edge.line:>5}  {edge.imported}{dim('  only types') if edge.only_types else ''}")


def _reach(file: SourceFile) -> str:
    return ("test, " if file.is_test else "") + f"depends on {count(file.dependencies, 'file')}"


def _print_some(title: str, lines: Sequence[str]) -> None:
    if lines and title:
        say(title)
    for line in first_of(lines, MOST_OF_A_KIND, "  … and {} more; --json has all"):
        say(line)


def _cycle(one: Component) -> str:
    shown = ", ".join(one.files[:MOST_IN_A_CIRCLE])
    more = len(one.files) - MOST_IN_A_CIRCLE
    rest = dim(f" … and {more:,} more") if more > 0 else ""
    return f"  {count(len(one.files), 'file')}: {shown}{rest}{dim('  types only') if one.only_types else ''}"


def _gap(file: str, line: int, reason: str) -> str:
    return f"{mark('warning')} {f'{file}:{line}' if line else file}: {reason}"
