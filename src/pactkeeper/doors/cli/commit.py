"""`pk commit`: the confirmation with which a person freezes atoms, or gives up frozen ones (`pk atom abandon`)."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Final

import click

from pactkeeper.doors.cli.groups import CommandGroup
from pactkeeper.doors.cli.output import bold, count, dim, document, mark, say
from pactkeeper.doors.cli.parameters import as_json, in_workspace
from pactkeeper.errors import RefusedError, UsageError, some_of
from pactkeeper.intent.atoms import Atom
from pactkeeper.intent.gate import Gate
from pactkeeper.intent.invariants import RULES, Checked
from pactkeeper.ledger.finding import Finding
from pactkeeper.operators.commit import Ask, Ceremony, Committed, Consent, commit_atoms, prepare_commit
from pactkeeper.operators.commitments import (
    STANDINGS,
    CommitmentRow,
    Filter,
    FrozenAtom,
    get_commitment,
    list_commitments,
)
from pactkeeper.published.plain import Codec
from pactkeeper.published.quality import COMMITMENT
from pactkeeper.workspace import Workspace

WORD = "commit"
MOST_FINDINGS = 10
FORBIDDEN, NOT_AGREED = 1, 2
STATUS_COLOURS = {"passed": "green", "failed": "red", "asserted": "yellow", "not checked": "yellow"}


@click.command()
@click.argument("atoms", nargs=-1, metavar="[ID]...")
@click.option("--molecule", metavar="M-…", help="Commit the uncommitted atoms of a molecule, by id or name.")
@click.option("--override", "overrides", multiple=True, metavar="INV-…", help="Override one rule; with --reason.")
@click.option(
    "--reason", "reasons", multiple=True, metavar="TEXT", help="Why the rule is overridden; recorded in the commitment."
)
@click.option("--sign", "key", metavar="KEY", help="Sign with this ssh key file; required without a terminal.")
@click.option("--passing", is_flag=True, help="Skip atoms that the gate refuses instead of refusing all.")
@click.option("--dry-run", is_flag=True, help="Only show what would be frozen and the verdict of the gate.")
@as_json
def command(  # noqa: PLR0913 - one argument per option
    atoms: tuple[str, ...],
    *,
    molecule: str | None,
    overrides: tuple[str, ...],
    reasons: tuple[str, ...],
    key: str | None,
    passing: bool,
    dry_run: bool,
    json_: bool,
) -> int:
    """Freeze atoms permanently; from then on a person can only replace or abandon them (pk atom).

    Shows what would be frozen and the verdict of the gate, then asks. Without a terminal it refuses, unless --sign
    gives a signature that the list of allowed signers confirms. Exit code 1 if the gate refuses the atoms, 2 if it
    passes them but the word was not typed.
    """
    ask = Ask(atoms, molecule, _overrides(overrides, reasons), _path(key), passing=passing, only_look=dry_run)
    return in_workspace(_hold, ask, quiet=json_)


def abandon_committed(  # noqa: PLR0913 - one argument per option
    opened: Workspace, atom: str, reason: str, *, key: str | None, dry_run: bool, quiet: bool
) -> int:
    """Let a person give up a committed atom; the exit codes are those of `pk commit`."""
    return _hold(opened, Ask((atom,), key=_path(key), only_look=dry_run, abandons=reason), quiet=quiet)


def _path(key: str | None) -> Path | None:
    return None if key is None else Path(key).expanduser().absolute()


def _hold(opened: Workspace, ask: Ask, *, quiet: bool) -> int:
    """Show what is asked for and the verdict of the gate, let the person agree, and carry it out."""
    dry_run, act = ask.only_look, _act(ask.abandons)
    if ask.key is None and not dry_run:
        _refuse_without_terminal(opened, act)
    ceremony = prepare_commit(opened, ask)
    if not quiet:
        _show(ceremony, attended=_at_terminal(opened), dry_run=dry_run)
    done = None
    if ceremony.gate.allowed and not dry_run and _agreed(opened, ceremony, quiet=quiet):
        done = commit_atoms(opened, ceremony, Consent(ceremony.commitment.id, ceremony.key))
    if quiet:
        document(as_document(ceremony, done, only_looked=dry_run), f"{act.word}/1")
    else:
        _conclude(ceremony, done, dry_run=dry_run)
    if not ceremony.gate.allowed:
        return FORBIDDEN
    return 0 if done is not None or dry_run else NOT_AGREED


def _overrides(names: tuple[str, ...], reasons: tuple[str, ...]) -> Mapping[str, str]:
    if len(names) != len(reasons) or any(not reason.strip() for reason in reasons):
        raise click.UsageError("give one --reason for each --override")
    if len(set(names)) != len(names):
        raise click.UsageError("override each rule once, with one reason")
    return dict(zip(names, reasons, strict=True))


@dataclass(frozen=True, slots=True)
class _Act:
    """The words of an act: what to type, what it does to atoms, that it is done, the command, and what comes next."""

    word: str
    does: str
    done: str
    command: str
    next: str


_COMMITS: Final = _Act(WORD, "freeze", "committed", "pk commit", "add it to git together with the atoms")
_ABANDONS: Final = _Act("abandon", "give up", "abandoned", "pk atom abandon", "add it to git, or pk undo takes it back")


def _act(abandons: str | None) -> _Act:
    return _COMMITS if abandons is None else _ABANDONS


def _refuse_without_terminal(opened: Workspace, act: _Act) -> None:
    if not _at_terminal(opened):
        raise RefusedError(
            f"only a person can {act.word}{' what is committed' if act is _ABANDONS else ''}, and this is not a "
            f"terminal; run it in one, or sign: {act.command} --sign KEY …"
        )


def _at_terminal(opened: Workspace) -> bool:
    streams = (sys.stdin, sys.stderr if sys.stdout is None else sys.stdout)
    return not opened.surroundings.ci and all(one is not None and one.isatty() for one in streams)


def _agreed(opened: Workspace, ceremony: Ceremony, *, quiet: bool) -> bool:
    """Ask the person at the terminal; without a terminal, a signature is enough."""
    if ceremony.key is not None and (quiet or not _at_terminal(opened)):
        return True
    act = _act(ceremony.commitment.abandons)
    if quiet:
        raise UsageError(f"--json shows nothing to agree to; leave it out, or sign: {act.command} --sign KEY …")
    number = len(ceremony.atoms)
    typed = click.prompt(
        f"Type {act.word} to {act.does} {'this atom' if number == 1 else f'these {number:,} atoms'}",
        default="",
        show_default=False,
    )
    return str(typed).strip() == act.word


def _show(ceremony: Ceremony, *, attended: bool, dry_run: bool) -> None:
    for line in _lines(ceremony, attended=attended, dry_run=dry_run):
        say(line)


def _lines(ceremony: Ceremony, *, attended: bool, dry_run: bool) -> Iterator[str]:
    commitment = ceremony.commitment
    for atom in ceremony.atoms:
        yield from _atom_lines(atom)
        if atom.supersedes is not None and commitment.abandons is None:
            yield f"    replaces {atom.supersedes}, which it retires"
        yield ""
    for name, reason in ceremony.left_out:
        yield dim(f"{name} is left out: {reason}")
    for name, reason in ceremony.failing:
        yield f"{mark('warning')} {name}: {reason}"
    yield from _gate_lines(ceremony.gate)
    yield ""
    yield f"who     {commitment.by}, {_how(ceremony, attended=attended, dry_run=dry_run)}"
    name = "" if dry_run else f" as {commitment.id}"
    atoms, would = count(len(ceremony.atoms), "atom"), not ceremony.gate.allowed
    if commitment.abandons is not None:
        yield f"why     {commitment.abandons}"
        yield f"{'would give' if would else 'gives'} up {atoms}{name}; links to it become findings (PK105)"
    else:
        yield f"{'would freeze' if would else 'freezes'} {atoms}{name} permanently; to change one later, supersede it"


def _how(ceremony: Ceremony, *, attended: bool, dry_run: bool) -> str:
    if ceremony.key is not None:
        return f"signed with {ceremony.key}"
    if not attended:
        what = "a commit" if ceremony.commitment.abandons is None else "this"
        return f"no terminal, so {what} is refused without --sign"
    return "not typed at this terminal yet" if dry_run else "typed at this terminal"


def _atom_lines(atom: Atom) -> Iterator[str]:
    yield f"{bold(atom.id)}  {atom.intent}  {dim(atom.category)}"
    yield from (f"    • {one}" for one in atom.outcomes)
    yield from (f"    not: {one}" for one in atom.falsified_by)


def _gate_lines(verdict: Gate) -> Iterator[str]:
    """Each check with its message; rules that don't apply to a commitment share one line."""
    aside = [one.invariant for one in verdict.checks if _is_aside(one)]
    for check in verdict.checks:
        if check.invariant not in aside:
            yield from _check_lines(check)
    if aside:
        yield dim(f"not checked: {', '.join(aside)}, which apply to runs and writes (pk invariant show)")


def _is_aside(check: Checked) -> bool:
    rule = RULES.get(check.invariant)
    return check.status == "not checked" and rule is not None and "commit" not in rule.checked


def _check_lines(check: Checked) -> Iterator[str]:
    status = click.style(f"{check.status:<11}", fg=STATUS_COLOURS[check.status])
    is_mild = check.status == "failed" and not check.blocking
    yield f"{status} {check.invariant:<8} {check.reason}{dim('  (does not block a commit)') if is_mild else ''}"
    for finding in check.findings[:MOST_FINDINGS]:
        yield from _finding_lines(finding)
    if len(check.findings) > MOST_FINDINGS:
        yield dim(f"            … and {len(check.findings) - MOST_FINDINGS:,} more; --json prints them")


def _finding_lines(finding: Finding) -> Iterator[str]:
    yield f"            {finding.subject}: {finding.message}"
    if finding.fix:
        yield f"            {dim('fix:')} {finding.fix}"


def _conclude(ceremony: Ceremony, done: Committed | None, *, dry_run: bool) -> None:
    act = _act(ceremony.commitment.abandons)
    if done is not None:
        say(f"{act.done} {count(len(ceremony.atoms), 'atom')}: {done.entry.paths[0]}; {act.next}")
    elif not ceremony.gate.allowed:
        names = ", ".join(one.invariant for one in ceremony.gate.refusals)
        skip = "; use --passing to skip what is refused" if act is _COMMITS else ""
        say(f"{mark('error')} the gate refuses this: {names}{skip}")
    elif dry_run:
        say(f"nothing was {act.done}: --dry-run")
    else:
        say(f"nothing was {act.done}: {act.word!r} was not typed")


def as_document(ceremony: Ceremony, done: Committed | None, *, only_looked: bool) -> dict[str, object]:
    """The published form of a ceremony and its outcome; a dry run has no id, since ids contain the time."""
    name = None if only_looked else ceremony.commitment.id
    file = done.entry.paths[0] if done is not None else None
    did = _act(ceremony.commitment.abandons).done
    return {"commitment": name, did: done is not None, "file": file, **_CEREMONY(ceremony)}


_FINDING: Final = Codec(Finding, "code subject message fix rule=invariant")
_CHECK: Final = Codec(Checked, "check=invariant status reason blocking findings", findings=_FINDING)
_CEREMONY: Final = Codec(
    Ceremony,
    "allowed=gate.allowed by=commitment.by at=commitment.at assurance=commitment.assurance"
    " abandons=commitment.abandons atoms left_out failing"
    " checks=gate.checks overrides=",
    atoms=Codec(Atom, "id intent category outcomes falsified_by replaces=supersedes frozen=", frozen=Atom.frozen_hash),
    left_out=lambda one: {"id": one[0], "reason": one[1]},
    failing=lambda one: {"id": one[0], "reason": one[1]},
    checks=_CHECK,
    overrides=lambda ceremony: ceremony.commitment.overrides or {},
)


MOST_ATOMS = 5
COLOURS = {"signed": "green", "ci-verified": "green", "terminal": "yellow", "not checked": "yellow"}
day = click.DateTime(formats=["%Y-%m-%d"])


@click.group(cls=CommandGroup, default="list")
def commitment_command() -> None:
    """List and show commitments; `pk commit` makes them."""


@commitment_command.command("list")
@click.option("--atom", metavar="ID", help="Only commitments that froze this atom.")
@click.option("--status", type=click.Choice(STANDINGS), help="Only commitments with this status.")
@click.option("--since", type=day, metavar="DAY", help="Only those made on this day (UTC) or later.")
@click.option("--until", type=day, metavar="DAY", help="Only those made on this day (UTC) or earlier.")
@as_json
def list_command(
    *, atom: str | None, status: str | None, since: datetime | None, until: datetime | None, json_: bool
) -> None:
    """List commitments, newest first.

    A commitment stands while any of its atoms is in force, is superseded or abandoned once none is, and is broken if it
    or one of its atoms was altered.
    """
    chosen = Filter(atom, status, _date(since), _date(until))  # type: ignore[arg-type]  # click allows these words
    rows = in_workspace(list_commitments, chosen)
    if json_:
        document({"commitments": COMMITMENT.each(rows)}, "commitments/1")
        return
    for row in rows:
        say(f"{bold(row.id)}  {row.at}  {row.by}  {_assurance(row)}  {_status(row)}")
        names = some_of((one.id for one in row.atoms), MOST_ATOMS)
        names = names if row.abandons is None else f"gives up {names}"
        say(f"    {count(len(row.atoms), 'atom')}: {names}")
    if not rows:
        say("no commitments")


@commitment_command.command()
@click.argument("name", metavar="COM-…|IA-…")
@as_json
def show(name: str, *, json_: bool) -> None:
    """Show a commitment, or every commitment of an atom: what was frozen, who signed, and what is still in force."""
    rows = in_workspace(get_commitment, name)
    if json_:
        document({"commitments": COMMITMENT.each(rows)}, "commitments/1")
        return
    for position, row in enumerate(rows):
        if position:
            say()
        for line in _commitment_lines(row):
            say(line)


def _commitment_lines(row: CommitmentRow) -> Iterator[str]:
    yield f"{bold(row.id)}  {_status(row)}"
    yield f"by       {row.by}"
    yield f"at       {row.at}"
    yield f"assured  {_assurance(row)}{f'  {dim(row.why)}' if row.why else ''}"
    if row.abandons is not None:
        yield f"gives up {row.abandons}"
    for name, reason in row.overrides.items():
        yield f"override {name}: {reason}"
    for trouble in row.troubles:
        yield f"{click.style('broken', fg='red')}   {trouble}"
    for atom in row.atoms:
        yield ""
        yield from _frozen_lines(atom)


def _frozen_lines(atom: FrozenAtom) -> Iterator[str]:
    yield f"{bold(atom.id)}  {atom.status or 'gone'}{f', replaces {atom.replaces}' if atom.replaces else ''}"
    if atom.words is None:
        yield dim("    the commitment doesn't contain its words")
        return
    yield f"    {atom.words.intent}  {dim(atom.words.category)}"
    yield from (f"    • {one}" for one in atom.words.outcomes)
    yield from (dim(f"    not: {one}") for one in atom.words.falsified_by)


def _assurance(row: CommitmentRow) -> str:
    return click.style(row.assurance, fg=COLOURS.get(row.assurance, "red"))


def _status(row: CommitmentRow) -> str:
    return click.style(row.status, fg={"standing": "green", "broken": "red"}.get(row.status))


def _date(given: datetime | None) -> date | None:
    return None if given is None else given.date()
