"""`pk check`: report what has drifted."""

from __future__ import annotations

from pathlib import Path

import click

from pactkeeper.doors.cli.output import (
    bold,
    count,
    dim,
    document,
    ensure_writable,
    first_of,
    mark,
    place_of,
    say,
    tally,
    until_closed,
)
from pactkeeper.doors.cli.parameters import as_json, paths_argument, snapshot_options, workspace
from pactkeeper.operators.check import CheckReport, Row, blind_spots_together, check_repo
from pactkeeper.operators.view import StateView
from pactkeeper.published.check import CHECK

MOST_SHOWN = 100
MOST_DETAIL = 20


@click.command()
@paths_argument
@snapshot_options
@click.option("--since", metavar="REF", help="Every commitment present where the branch left REF must still be there.")
@as_json
@click.option("--sarif", type=click.Path(path_type=Path), help="Also write SARIF 2.1.0 to this file.")
@click.option("--github", is_flag=True, help="Print findings as GitHub workflow commands.")
@click.option("--all", "everything", is_flag=True, help=f"Print every finding instead of the first {MOST_SHOWN}.")
def command(  # noqa: PLR0913 - one argument per option
    paths: tuple[str, ...],
    *,
    staged: bool,
    at: str | None,
    since: str | None,
    json_: bool,
    sarif: Path | None,
    github: bool,
    everything: bool,
) -> int:
    """Compare tests with the pact and report what has drifted.

    Commitments are compared with those of HEAD, so none can be dropped unnoticed; with --at REF, give --since.

    Exit code 1 if there is a finding of severity error, 0 otherwise. Codes are explained in docs/reference/findings.md.
    """
    if sarif is not None:
        ensure_writable(sarif, "--sarif")
    with workspace(paths) as (opened, inside):
        report = check_repo(opened, StateView(at, staged, inside, since))
    if sarif is not None:
        from pactkeeper.doors.cli.annotations import write_sarif  # noqa: PLC0415 - only needed for this format

        write_sarif(sarif, report.findings, {one.id: one.text for one in report.rules})
    with until_closed():
        if json_:
            document(CHECK(report), "check/1")
        elif github:
            from pactkeeper.doors.cli.annotations import print_github  # noqa: PLC0415 - only needed for this format

            print_github(report.findings)
            say(_summary(report))
        else:
            if not report.declared:
                _print_undeclared(report)
            _print(report, everything=everything)
    return 0 if report.agrees else 1


def _print_undeclared(report: CheckReport) -> None:
    tests = count(sum(report.tests.values()), "test")
    say(f"there is no pact in {report.snapshot}, so no atom says what its {tests} are for")
    say("start one with `pk init`: it records them as debt, and only new tests have to say what they are for")
    say(dim("a commit is checked with the pact that it holds; --all prints every test"))


def _print(report: CheckReport, *, everything: bool) -> None:
    ordered = sorted(report.findings, key=lambda row: ("error", "warning", "info").index(row.severity))
    if not (everything or report.declared):
        ordered = [row for row in ordered if row.code != "PK101"]  # every test is an orphan
    ordered = blind_spots_together(ordered)
    for row in first_of(ordered, len(ordered) if everything else MOST_SHOWN, "… and {} more; --all prints them"):
        _print_finding(row)
    if report.waived:
        say(dim(f"{count(len(report.waived), 'finding')} waived: {_waivers(report)}"))
    unjudged = [one.id for one in report.rules if one.status == "not checked" and not one.code.startswith("PK")]
    if unjudged:
        say(dim(f"not checked here: {', '.join(unjudged)}; for the reasons: pk invariant test"))
    if report.untested:
        atoms = count(report.untested, "committed atom")
        say(dim(f"{atoms} without a test; list them: pk atom list --backing unbacked"))
    say(_summary(report))


def _print_finding(row: Row) -> None:
    place = place_of(row.path, row.line)
    rule = f" {row.invariant}" if row.invariant not in {"", row.code} else ""
    say(f"{bold(place)}: {mark(row.severity)} {row.code}{rule}: {row.message}")
    say(f"    {row.subject}")
    for line in first_of(row.detail, MOST_DETAIL, "    … and {} more lines; --json prints them"):
        say(f"    {_coloured(line)}")
    if row.fix:
        say(f"    {dim('fix:')} {row.fix}")


def _coloured(line: str) -> str:
    return click.style(line, fg={"-": "red", "+": "green"}.get(line[:1]))


def _waivers(report: CheckReport) -> str:
    return "; ".join(f"{one.row.code} until {one.until} by {one.by}" for one in report.waived)


def _summary(report: CheckReport) -> str:
    head = click.style("drifted", fg="red")
    if report.agrees:
        warned = report.count("warning") > 0
        head = click.style("passes with warnings", fg="yellow") if warned else click.style("in agreement", fg="green")
    counts = [count(report.count("error"), "error"), count(report.count("warning"), "warning")]
    counts += [count(report.count("info"), "note")] if report.count("info") else []
    tests = tally(list(report.tests.items())) or "none"
    gaps = f"; {count(report.gaps, 'blind spot')}" if report.gaps else ""
    total = count(sum(report.tests.values()), "test")
    return f"{head}: {', '.join(counts)} in {report.snapshot}; {total}: {tests}{gaps}"
