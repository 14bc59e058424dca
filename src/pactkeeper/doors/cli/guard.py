"""`pk guard`: report what a change did to the tests."""

from __future__ import annotations

import json
import sys
from datetime import date, timedelta
from pathlib import Path

import click

from pactkeeper.doors.cli.groups import CommandGroup
from pactkeeper.doors.cli.output import (
    bold,
    count,
    dim,
    document,
    ensure_writable,
    first_of,
    mark,
    note,
    place_of,
    say,
    until_closed,
)
from pactkeeper.doors.cli.parameters import as_json, snapshot_options, workspace
from pactkeeper.errors import UsageError
from pactkeeper.intent.folder import APPROVALS
from pactkeeper.operators.check import Row
from pactkeeper.operators.guard import GuardReport, approve_change, guard_tests
from pactkeeper.operators.view import StateView
from pactkeeper.published.check import GUARD

DAYS = 30
MOST_READ = 65_536  # bytes of a hook's input
_NOTES = 3  # that are printed
_MOST_DETAIL = 20  # lines of one finding: the other tests where the same happened
_TOO_MANY = "    … and {} more lines; --json prints them"
HOOK_BLOCKS = 2  # the exit code that keeps agents from stopping


@click.group(cls=CommandGroup, invoke_without_command=True)
@click.option("--since", metavar="REF", help="The branch or commit that the change starts from.")
@snapshot_options
@as_json
@click.option("--sarif", type=click.Path(path_type=Path), help="Also write SARIF 2.1.0 to this file.")
@click.option("--github", is_flag=True, help="Print findings as GitHub workflow commands.")
@click.option("--markdown", is_flag=True, help="Print a summary for a pull request.")
@click.option(
    "--hook", is_flag=True, help="For the stop hook of coding agents: report on stderr, exit 2 to make them go on."
)
@click.pass_context
def command(  # noqa: PLR0913 - one argument per option
    ctx: click.Context,
    *,
    since: str | None,
    staged: bool,
    at: str | None,
    json_: bool,
    sarif: Path | None,
    github: bool,
    markdown: bool,
    hook: bool,
) -> int:
    """Show what a change did to the tests: deleted, skipped, emptied, loosened, switched off, or made stronger.

    Needs no pact. Compares the working tree with the point where HEAD left the main branch; --staged compares the index
    with HEAD, --since names another base. Exit code 1 if a weakening is proven; warnings are for you to judge.
    """
    if ctx.invoked_subcommand is not None:
        return 0
    if sarif is not None:
        ensure_writable(sarif, "--sarif")
    with workspace() as (opened, inside):
        report = guard_tests(opened, StateView(at, staged, inside), since=since)
    if sarif is not None:
        from pactkeeper.doors.cli.annotations import write_sarif  # noqa: PLC0415 - only needed for this format

        write_sarif(sarif, report.findings, {})
    with until_closed():
        if hook:
            return _hook(report)
        if json_:
            document(GUARD(report), "guard/1")
        elif github:
            from pactkeeper.doors.cli.annotations import print_github  # noqa: PLC0415 - only needed for this format

            print_github(report.findings)
            say(_summary(report))
        elif markdown:
            _print_markdown(report)
        else:
            _print(report)
    return 0 if report.holds else 1


@command.command()
@click.argument("finding")
@click.option("--why", required=True, help="The reason, for later readers.")
@click.option("--until", metavar="DATE", help=f"The last day it counts; {DAYS} days from now by default.")
@click.option("--since", metavar="REF", help="The branch or commit that the change starts from.")
def accept(finding: str, *, why: str, until: str | None, since: str | None) -> None:
    """Approve FINDING, a fingerprint or everything reported at a FILE:LINE.

    An approval is bound to the old and the new content. It counts once it is in the commit that the change starts from,
    so no change can approve itself.
    """
    with workspace() as (opened, _):
        last = _day(until) if until is not None else opened.now().date() + timedelta(days=DAYS)
        number = approve_change(opened, finding, why=why, until=last, since=since)
    say(f"recorded {count(number, 'change')} in {APPROVALS}; it counts once it is committed on the base")


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise UsageError(f"--until {text!r} is not a date; write it like 2030-01-31") from None


def _print(report: GuardReport) -> None:
    for row in report.findings:
        if row.severity != "info":
            _print_row(row)
    for row, by in report.approved:
        say(dim(f"approved by {by}: {row.subject}: {row.message}"))
    notes = [row for row in report.findings if row.severity == "info"]
    for row in notes[:_NOTES]:
        say(dim(f"{place_of(row.path, row.line)}: note {row.code}: {row.message}"))
    if len(notes) > _NOTES:
        say(dim(f"{count(len(notes) - _NOTES, 'note')} more, to list them: pk guard --json"))
    if report.stronger:
        tests = len({row.subject for row in report.stronger})
        say(dim(f"{count(tests, 'test')} got stronger"))
    told = {row.path for row in report.findings}
    first, *others = [one for one in report.unseen if one.partition(": ")[0] not in told] or [""]
    if first:
        more = f"; {count(len(others), 'place')} more, to list them: pk guard --json" if others else ""
        say(dim(f"not seen: {first}{more}"))
    say(_summary(report))


def _print_row(row: Row) -> None:
    place = place_of(row.path, row.line)
    say(f"{bold(place)}: {mark(row.severity)} {row.code}: {row.message}")
    say(f"    {row.subject}  {dim(row.fingerprint)}")
    for line in first_of(row.detail, _MOST_DETAIL, _TOO_MANY):
        say(f"    {click.style(line, fg={'-': 'red', '+': 'green'}.get(line[:1]))}")


def _summary(report: GuardReport) -> str:
    errors, warnings = report.count("error"), report.count("warning")
    head = click.style("weakened", fg="red") if errors else click.style("holds", fg="green")
    if not errors and warnings:
        head = click.style("holds, with warnings", fg="yellow")
    notes = f", {count(report.count('info'), 'note')}" if report.count("info") else ""
    compared = f"{count(report.compared, 'test')} compared with {report.base[:12]}"
    return f"{head}: {count(errors, 'error')}, {count(warnings, 'warning')}{notes}; {compared}"


def _hook(report: GuardReport) -> int:
    """Tell an agent that wants to stop about proven weakenings, and keep it from stopping."""
    errors = [row for row in report.findings if row.severity == "error"]
    if not errors or _asked_before():
        return 0
    note("This change weakens tests. Restore what they asserted and fix the product instead, or ask the person:")
    for row in errors:
        note(f"- {row.subject}: {row.message}" + "".join(f"\n    {line}" for line in row.detail[:_MOST_DETAIL]))
    return HOOK_BLOCKS


def _asked_before() -> bool:
    """Whether this hook has already kept the agent from stopping: it does so only once."""
    if sys.stdin is None or sys.stdin.isatty():
        return False
    try:
        said = json.loads(sys.stdin.read(MOST_READ) or "{}")
    except (ValueError, RecursionError):
        return False
    return isinstance(said, dict) and said.get("stop_hook_active") is True


def _print_markdown(report: GuardReport) -> None:
    say(f"**{click.unstyle(_summary(report))}**")
    rows = [row for row in report.findings if row.severity != "info"]
    if rows:
        say("\n| | test | what happened | before | after |\n|---|---|---|---|---|")
    for row in rows:
        old = next((line[2:] for line in row.detail if line.startswith("- ")), "")
        new = next((line[2:] for line in row.detail if line.startswith("+ ")), "")
        cells = (row.severity, _tests(row), row.message, _code(old), _code(new))
        say("| " + " | ".join(cells) + " |")


def _tests(row: Row) -> str:
    """The subject of a finding, and of those with the same cause."""
    tests = [row.subject, *(line.strip() for line in row.detail if line.startswith("  "))]
    rest = f", and {len(tests) - _MOST_DETAIL:,} more" if len(tests) > _MOST_DETAIL else ""
    return ", ".join(map(_code, tests[:_MOST_DETAIL])) + rest


def _code(text: str) -> str:
    """Repository text as code in a table cell, which it can't break out of."""
    return f"`` {text.replace('|', chr(0xA6)).replace('`', chr(0x2B9))} ``" if text else ""
