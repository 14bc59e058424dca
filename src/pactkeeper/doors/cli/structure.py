"""`pk structure`: which files import each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

import click

from pactkeeper.doors.cli.output import bold, count, dim, document, mark, say, tally, until_closed
from pactkeeper.doors.cli.parameters import as_json, paths_argument, snapshot_options, workspace
from pactkeeper.intent.structure import Component, Edge, RepoStructure, SourceFile
from pactkeeper.operators.structure import StructureReport, get_repo_structure
from pactkeeper.operators.view import StateView
from pactkeeper.published.plain import GAP, Codec

MOST_SHOWN = 20  # cycles, unresolved imports and blind spots on a terminal; --json has all
MOST_IN_A_CIRCLE = 6


@click.command()
@paths_argument
@snapshot_options
@as_json
def command(paths: tuple[str, ...], *, staged: bool, at: str | None, json_: bool) -> None:
    """Show which files import each other, import cycles, and unresolved imports.

    With PATH, list the files at or below it with their imports, fewest dependencies first. Python, JavaScript and
    TypeScript. Works without a pact. The exit code is always 0.
    """
    with workspace(paths) as (opened, inside):
        report = get_repo_structure(opened, StateView(at, staged, inside))
    with until_closed():
        if json_:
            document(_REPORT(report), "structure/1")
        else:
            _print(report)


_FILE: Final = Codec(
    SourceFile,
    "path language= test=is_test dependencies external computed",
    language=lambda file: file.language or None,
)
_COUNTED: Final = ("files", "test_files", "edges", "components", "unresolved", "external", "gaps")


def _summary(report: StructureReport) -> dict[str, int]:
    structure = report.structure
    counts = {name: len(getattr(structure, name)) for name in _COUNTED}
    return {**counts, "computed": sum(file.computed for file in structure.files)}


_REPORT: Final = Codec(
    StructureReport,
    "snapshot files=structure.files test_files=structure.test_files edges=structure.edges"
    " components=structure.components order=structure.order unresolved=structure.unresolved"
    " external=structure.external gaps=structure.gaps summary=",
    files=_FILE,
    gaps=GAP,
    summary=_summary,
)


def _print(report: StructureReport) -> None:
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
    for line in lines[:MOST_SHOWN]:
        say(line)
    if len(lines) > MOST_SHOWN:
        say(dim(f"  … and {len(lines) - MOST_SHOWN:,} more; --json has all"))


def _cycle(one: Component) -> str:
    shown = ", ".join(one.files[:MOST_IN_A_CIRCLE])
    more = len(one.files) - MOST_IN_A_CIRCLE
    rest = dim(f" … and {more:,} more") if more > 0 else ""
    return f"  {count(len(one.files), 'file')}: {shown}{rest}{dim('  types only') if one.only_types else ''}"


def _gap(file: str, line: int, reason: str) -> str:
    return f"{mark('warning')} {f'{file}:{line}' if line else file}: {reason}"
