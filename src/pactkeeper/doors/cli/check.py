"""`pk check`: what has drifted."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

import click

from pactkeeper.doors.cli.output import bold, count, dim, document, mark, note, say, tally
from pactkeeper.doors.cli.parameters import as_json, paths_argument, snapshot_options, workspace
from pactkeeper.operators import call
from pactkeeper.operators.observe import CheckReport, View
from pactkeeper.reconcile.check import Located, Verdict

SCHEMA = "pactkeeper.check/1"
MOST_SHOWN = 100


@click.command()
@paths_argument
@snapshot_options
@as_json
@click.option(
    "--sarif", type=click.Path(dir_okay=False, path_type=Path), help="Write SARIF 2.1.0 to this file as well."
)
@click.option("--github", is_flag=True, help="Print findings as GitHub workflow commands.")
@click.option("--all", "everything", is_flag=True, help=f"Print every finding instead of the first {MOST_SHOWN}.")
@click.pass_context
def command(  # noqa: PLR0913 - one argument an option
    ctx: click.Context,
    paths: tuple[str, ...],
    *,
    staged: bool,
    at: str | None,
    json_: bool,
    sarif: Path | None,
    github: bool,
    everything: bool,
) -> int:
    """Compare tests with the pact and tell what has drifted; needs no history.

    Exit code 0 when nothing of severity error stands, 1 otherwise. Codes are explained in docs/findings.md.
    """
    with workspace(ctx, paths) as (opened, inside):
        report: CheckReport = call("check_repo", opened, View(at, staged, inside))
    if sarif is not None:
        _write_sarif(sarif, report.verdict)
    if json_:
        document(as_document(report))
    elif github:
        _print_github(report.verdict)
    else:
        _print(report, MOST_SHOWN if not everything else len(report.verdict.findings))
    return 0 if report.verdict.agrees else 1


def as_document(report: CheckReport) -> Mapping[str, object]:
    """The published form."""
    verdict = report.verdict
    return {
        "schema": SCHEMA,
        "snapshot": report.snapshot,
        "agrees": verdict.agrees,
        "declared": report.declared,
        "findings": [_finding(entry) for entry in verdict.findings],
        "waived": [
            {**_finding(entry), "waived_by": waiver.by, "why": waiver.why, "until": waiver.until.isoformat()}
            for entry, waiver in verdict.waived
        ],
        "summary": {**_severities(verdict), "tests": verdict.tests, "atoms": verdict.atoms, "gaps": verdict.gaps},
    }


def _finding(entry: Located) -> dict[str, object]:
    finding = entry.finding
    return {
        "code": finding.code,
        "severity": finding.severity,
        "file": entry.path,
        "line": entry.line,
        "subject": finding.subject,
        "about": finding.about,
        "message": finding.message,
        "fix": finding.fix,
        "fingerprint": finding.fingerprint,
    }


def _severities(verdict: Verdict) -> dict[str, int]:
    found = [entry.finding.severity for entry in verdict.findings]
    return {"errors": found.count("error"), "warnings": found.count("warning"), "infos": found.count("info")}


def _print(report: CheckReport, most: int) -> None:
    verdict = report.verdict
    ordered = sorted(verdict.findings, key=lambda entry: ("error", "warning", "info").index(entry.finding.severity))
    for entry in ordered[:most]:
        _print_finding(entry)
    hidden = len(ordered) - most
    if hidden > 0:
        say(dim(f"… and {hidden:,} more; --all prints them"))
    if verdict.waived:
        say(dim(f"{count(len(verdict.waived), 'finding')} waived: {_waivers(verdict)}"))
    say(_summary(report))
    if not report.declared:
        note("There is no pact here yet, so every test is an orphan. Start one with: pk init")


def _print_finding(entry: Located) -> None:
    finding = entry.finding
    place = f"{entry.path}:{entry.line}" if entry.line else entry.path
    say(f"{bold(place)}: {mark(finding.severity)} {finding.code}: {finding.message}")
    say(f"    {finding.subject}")
    if finding.fix:
        say(f"    {dim('fix:')} {finding.fix}")


def _waivers(verdict: Verdict) -> str:
    return "; ".join(
        f"{one.finding.code} until {waiver.until.isoformat()} by {waiver.by}" for one, waiver in verdict.waived
    )


def _summary(report: CheckReport) -> str:
    verdict = report.verdict
    found = _severities(verdict)
    head = click.style("in agreement", fg="green") if verdict.agrees else click.style("drifted", fg="red")
    counts = ", ".join(
        [count(found["errors"], "error"), count(found["warnings"], "warning")]
        + ([count(found["infos"], "note")] if found["infos"] else [])
    )
    tests = tally(list(verdict.tests.items())) or "none"
    gaps = f"; {count(verdict.gaps, 'gap')}" if verdict.gaps else ""
    return f"{head}: {counts} in {report.snapshot}; {count(sum(verdict.tests.values()), 'test')}: {tests}{gaps}"


def _write_sarif(place: Path, verdict: Verdict) -> None:
    from pactkeeper.doors.cli.annotations import sarif  # noqa: PLC0415 - only runs that ask for it

    log = sarif(verdict.findings, version("pactkeeper"))
    place.write_text(json.dumps(log, indent=1) + "\n", encoding="utf-8")


def _print_github(verdict: Verdict) -> None:
    from pactkeeper.doors.cli.annotations import github_command  # noqa: PLC0415 - only runs that ask for it

    for entry in verdict.findings:
        say(github_command(entry))
