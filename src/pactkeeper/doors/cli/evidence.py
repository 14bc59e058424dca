"""`pk evidence` and `pk attest`: what test runs say about tests and atoms, and vouching for a commit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from importlib.resources import files as packaged
from pathlib import Path
from typing import Any, Final

import click

from pactkeeper.doors.cli.groups import CommandGroup
from pactkeeper.doors.cli.output import (
    bold,
    count,
    dim,
    document,
    ensure_writable,
    first_of,
    line_of,
    mark,
    note,
    place_of,
    say,
    tally,
    write_out,
)
from pactkeeper.doors.cli.parameters import as_json, in_workspace
from pactkeeper.errors import UsageError
from pactkeeper.intent.binding import Unmatched
from pactkeeper.intent.evidence_state import TestEvidenceState, TestOutcomeRow, state_counts
from pactkeeper.intent.links import LinkedTest
from pactkeeper.intent.signatures import Attestation, Verified
from pactkeeper.operators import test_reports
from pactkeeper.operators.attest import Ask, Held, Made, attest, import_attestation, verify_attestation
from pactkeeper.operators.evidence import EvidenceReport, import_evidence, prune_evidence, show_evidence
from pactkeeper.operators.test_reports import CoverageSummary, QualitySummary, ResultsSummary
from pactkeeper.published.plain import Codec
from pactkeeper.workspace import Workspace

MOST_SHOWN = 20
Summary = ResultsSummary | CoverageSummary | QualitySummary
TELLING = ("failing", "stale")
READERS: dict[str, Callable[[Workspace, Sequence[str]], Sequence[Summary]]] = {
    "results": test_reports.read_test_results,
    "coverage": test_reports.read_coverage_report,
    "quality": test_reports.read_quality_report,
}
reports_argument = click.argument("files", nargs=-1, required=True, metavar="FILE...")


@click.group(cls=CommandGroup, default="show")
def command() -> None:
    """Import test reports, and show what is proven, failing, stale or unknown.

    Reports kept here come from this machine and are only plausible; `pk attest` vouches for a commit.
    """


@command.command("import")
@reports_argument
@click.option("--commit", metavar="REF", help="The commit that was tested (default: the working tree).")
@as_json
def import_command(files: tuple[str, ...], *, commit: str | None, json_: bool) -> None:
    """Store the results of one test run, from its reports FILE...

    Formats are recognised by content: JUnit XML, pytest-json-report, Jest, Vitest and mocha JSON.
    """
    found = in_workspace(import_evidence, files, commit=commit)
    if json_:
        document(found, "imported/1")
        return
    where = f"at commit {found.commit[:12]}" if found.commit else "for a working tree with uncommitted changes"
    say(f"stored outcomes of {count(found.stored, 'test')} {where}: {_counts(found.counts)}")
    if found.counts["skipped"]:
        say(dim(f"{count(found.counts['skipped'], 'test')} skipped, which proves nothing"))
    if found.silent:
        say(dim(f"{count(found.silent, 'test')} in no report"))
    _print_unmatched(found.unmatched, found.cases)
    for name in found.undated:
        say(
            f"{mark('warning')} {name} names no time of its run, so only the age of its file says that it ran this code"
        )
    if found.undated:
        say(dim("    if it ran other code, run the tests again, or name the tested commit: --commit REF"))


@command.command()
@click.option("--keep", type=click.IntRange(min=1), default=10, show_default=True, metavar="N", help="Keep N per test.")
def prune(*, keep: int) -> None:
    """Delete all but the latest results of each test; only the very latest decides a test's state."""
    say(f"forgot {count(in_workspace(prune_evidence, keep=keep), 'outcome')}")


def _counts(counts: Mapping[str, int]) -> str:
    return tally([(name, counts[name]) for name in ("passed", "failed", "error")]) or "none"


def _print_unmatched(unmatched: Sequence[Unmatched], cases: int) -> None:
    if not unmatched:
        return
    say(f"{mark('warning')} {len(unmatched):,} of {count(cases, 'case')} match no test:")
    for one in first_of(unmatched, MOST_SHOWN, "  … and {} more; --json lists them"):
        say(f"  {one.outcome or 'unclear':<8} {one.case}  {dim(one.reason)}")


@command.command()
@click.argument("names", nargs=-1, metavar="[TEST|ATOM]...")
@as_json
def show(names: tuple[str, ...], *, json_: bool) -> None:
    """Show the state of each TEST, or of the tests of each ATOM (default: all), and of the atoms they realise."""
    found = in_workspace(show_evidence, names)
    if json_:
        document(as_document(found), "evidence/1")
    else:
        _print(found, everything=bool(names))


_OUTCOME: Final = Codec(TestOutcomeRow, "outcome commit= at source", commit=lambda row: row.commit or None)


def as_document(found: EvidenceReport) -> dict[str, object]:
    """The published form."""
    return {
        "snapshot": found.snapshot,
        "attested": found.attested,
        "tests": [_test(entry, state) for entry, state in found.tests],
        "atoms": [
            {"id": name, "status": found.statuses[name], "state": one.state, "tests": one.tests}
            for name, one in sorted(found.atoms.items())
        ],
        "summary": {
            "tests": state_counts(state.state for _, state in found.tests),
            "atoms": state_counts(one.state for one in found.atoms.values()),
        },
    }


def _test(entry: LinkedTest, state: TestEvidenceState) -> dict[str, object]:
    row = state.row
    seen = dict.fromkeys(("outcome", "commit", "at", "source")) if row is None else _OUTCOME(row)
    return {"id": entry.test.id, "state": state.state, "reason": state.reason, **seen}


def _print(found: EvidenceReport, *, everything: bool) -> None:
    chosen = [(entry, state) for entry, state in found.tests if everything or state.state in TELLING]
    chosen.sort(key=lambda pair: pair[1].state)
    for entry, state in first_of(chosen, len(chosen) if everything else MOST_SHOWN, "… and {} more; --json lists them"):
        say(f"{_marked(state.state)} {bold(entry.test.id)}  {dim(_about(state))}")
        for name in dict.fromkeys(entry.atoms()) if everything else ():
            if name in found.atoms:
                say(f"  {name}  {found.statuses[name]}, {found.atoms[name].state}")
    tests = state_counts(state.state for _, state in found.tests)
    atoms = state_counts(one.state for one in found.atoms.values())
    say(f"{count(len(found.tests), 'test')}: {tally(list(tests.items())) or 'none'}")
    if found.atoms:
        say(f"{count(len(found.atoms), 'atom')}: {tally(list(atoms.items()))}")
    for one in found.ran:
        say(one.told)
    if not any(state.row for _, state in found.tests):
        note("No results yet: run the tests with a report, then `pk evidence import FILE`")


def _marked(state: str) -> str:
    return click.style(f"{state:<8}", fg={"failing": "red", "stale": "yellow", "proven": "green"}.get(state))


def _about(state: TestEvidenceState) -> str:
    if state.row is None:
        return state.reason
    where = f"at {state.row.commit[:12]}" if state.row.commit else "with uncommitted changes"
    why = f"; {state.reason}" if state.reason else ""
    return f"{state.row.outcome} {where} ({state.row.source}, {state.row.at}){why}"


@command.command()
@reports_argument
@click.option("--coverage", "kind", flag_value="coverage", help="The files are coverage reports.")
@click.option("--quality", "kind", flag_value="quality", help="The files are SARIF from linters and checkers.")
@as_json
def read(files: tuple[str, ...], *, kind: str | None, json_: bool) -> None:
    """Summarize test reports without storing anything."""
    found = in_workspace(READERS[kind or "results"], files)
    if json_:
        document({"reports": found}, "reports/1")
        return
    for one in found:
        if isinstance(one, CoverageSummary):
            _print_coverage(one)
        elif isinstance(one, QualitySummary):
            _print_quality(one)
        else:
            _print_results(one)


@command.command()
@reports_argument
@as_json
def cases(files: tuple[str, ...], *, json_: bool) -> None:
    """Show which test each case in the reports FILE... belongs to, and its atoms, without storing anything."""
    found = in_workspace(test_reports.reported_cases, files)
    if json_:
        rows = [{**asdict(one), "case": str(one.case), "test": one.test or None} for one in found]
        document({"cases": rows}, "cases/1")
        return
    for one in found:
        say(f"{one.case}  {dim(one.test or one.reason)}  {' '.join(one.atoms)}".rstrip())


@command.command()
def reporter() -> None:
    """Print the path of the reporter for Vitest and Jest; docs/evidence.md shows how to configure it."""
    click.echo(str(packaged("pactkeeper.doors") / "javascript" / "reporter.mjs"))


def _print_results(one: ResultsSummary) -> None:
    counts = tally(list(one.counts.items())) or "no cases"
    unclear = f", {one.unclear:,} unclear" if one.unclear else ""
    say(f"{bold(one.source)}  {dim(one.form)}  {counts}{unclear} in {one.milliseconds / 1000:,.1f} s")
    for said in one.named:
        first = said.message.strip().partition("\n")[0]
        say(f"  {said.outcome or 'unclear':<8} {said.case}  {dim(first)}")
    if one.hidden:
        say(dim(f"  … and {one.hidden:,} more"))


def _print_coverage(one: CoverageSummary) -> None:
    functions = f"; {one.ran:,} of {count(one.functions, 'function')}" if one.functions else ""
    tests = f"; tells {count(one.tests, 'test')} apart" if one.tests else ""
    lines = f"{one.percent} %: {one.hit:,} of {count(one.lines, 'line')} in {count(one.files, 'file')}"
    lines = lines if one.files else "does not say which lines are code"
    say(f"{bold(one.source)}  {dim(one.form)}  {lines}{functions}{tests}")
    for said in one.least:
        say(f"  {said.percent:>5} %  {said.lines - said.hit:>6,} left  {line_of(said.path)}")


def _print_quality(one: QualitySummary) -> None:
    suppressed = f"; {one.suppressed:,} suppressed" if one.suppressed else ""
    levels = tally(list(one.levels.items())) or "nothing found"
    say(f"{bold(one.source)}  {dim(', '.join(one.tools))}  {levels}{suppressed}")
    for flaw in one.named:
        place = place_of(flaw.path, flaw.line)
        say(f"  {flaw.level:<8} {flaw.rule:<10} {place}  {dim(flaw.message.partition(chr(10))[0])}")
    if one.hidden:
        say(dim(f"  … and {one.hidden:,} more"))


signers_option = click.option(
    "--allowed-signers",
    metavar="FILE",
    help="The allowed signers, in `ssh-keygen` format (default: the pact's own list).",
)


@click.group(cls=CommandGroup, invoke_without_command=True)
@click.option("--out", metavar="FILE", help="Write the attestation to FILE.")
@click.option("--results", multiple=True, metavar="FILE", help="A test report; repeatable.")
@click.option("--coverage", multiple=True, metavar="FILE", help="A coverage report; repeatable.")
@click.option("--sign", "key", type=click.Path(path_type=Path), metavar="KEY", help="Sign with this ssh key.")
@click.option("--at", metavar="REF", help="Attest a commit instead of the working tree.")
@click.option(
    "--allow-dirty", is_flag=True, help="Attest a working tree that differs from its commit, recording the difference."
)
@click.pass_context
def attest_command(ctx: click.Context, /, *, out: str | None, key: Path | None, **what: Any) -> None:  # noqa: ANN401 - options
    """Write an attestation of what is declared, linked, proven and found at a commit. Meant for CI.

    It is valid for exactly its commit. Exit code 0 means it was written, not that all is well; `pk check` judges that.
    """
    if ctx.invoked_subcommand is not None:
        return
    if out is None:
        raise UsageError("name the file to write: pk attest --out FILE")
    place = Path(ctx.obj) / out
    ensure_writable(place, "--out")
    ask = Ask(**what, key=None if key is None else Path(ctx.obj) / key, apart=(str(place.absolute()),))
    made = in_workspace(attest, ask)
    write_out(place, made.text)
    _print_made(made, out)


def _print_made(made: Made, out: str) -> None:
    signed = "signed" if made.signed else "not signed"
    say(f"wrote {out}: {_summary(made.attestation)}; {signed}")
    if made.unmatched:
        cases = count(len(made.unmatched), "case")
        note(f"{mark('warning')} {cases} of the reports match no test; pk evidence import lists them")


def _summary(said: Attestation) -> str:
    check = "in agreement" if said.check.agrees else f"drifted, {count(said.check.errors, 'error')}"
    atoms = tally(list(state_counts(one.state for one in said.proofs).items())) or "none"
    tests = tally(list(said.evidence.items())) or "none"
    dirty = f"; {count(len(said.changed), 'path')} not as committed" if said.changed else ""
    return f"commit {said.commit[:12]}{dirty}; {check}; committed atoms: {atoms}; tests: {tests}"


@attest_command.command()
@click.argument("file")
@signers_option
@as_json
def verify(file: str, *, allowed_signers: str | None, json_: bool) -> int:
    """Verify the attestation FILE: its hash, its signature, and the pact of its commit.

    Exit code 0 if a listed signer vouches for it and nothing here contradicts it, 1 otherwise.
    """
    held = in_workspace(verify_attestation, file, allowed_signers=allowed_signers)
    if json_:
        document(_HELD(held), "attested/1")
    else:
        _print_held(held)
    return 1 if held.against else 0


@attest_command.command("import")
@click.argument("file")
@signers_option
@as_json
def import_attestation_command(file: str, *, allowed_signers: str | None, json_: bool) -> None:
    """Store the attestation FILE in the history, so `pk status` can tell attested from plausible."""
    held = in_workspace(import_attestation, file, allowed_signers=allowed_signers)
    if json_:
        document(_HELD(held), "attested/1")
    else:
        _print_held(held)
        say(f"kept for commit {held.attestation.commit[:12]}")


def _print_held(held: Held) -> None:
    said = held.attestation
    say(_summary(said))
    say(f"made {said.at} by Pactkeeper {said.version}{_claimed(said)}")
    if isinstance(held.examined, Verified):
        say(f"signed by {held.examined.principal}  {dim(held.examined.key)}")
    for reason in held.against:
        say(f"{mark('warning')} {reason}")
    if held.catalog == "no such commit here":
        note("this clone does not have the commit, so its pact was not compared")


def _claimed(said: Attestation) -> str:
    claims = ", ".join(f"{name} {value}" for name, value in said.claims.items())
    return f", which says: {claims}" if claims else ""


_HELD: Final = Codec(
    Held,
    "commit=attestation.commit hash=attestation.hash holds= against signature=examined catalog"
    " claims=attestation.claims",
    holds=lambda held: not held.against,
)
