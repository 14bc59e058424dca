"""`pk commitment`: what was committed, by whom, and with what evidence."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime

import click

from pactkeeper.doors.cli.groups import CommandGroup
from pactkeeper.doors.cli.output import bold, count, dim, document, say
from pactkeeper.doors.cli.parameters import as_json, workspace
from pactkeeper.operators.commitments import (
    STANDINGS,
    CommitmentRow,
    Filter,
    FrozenAtom,
    get_commitment,
    list_commitments,
)
from pactkeeper.published.invariants import COMMITMENT

MOST_ATOMS = 5
COLOURS = {"signed": "green", "ci-verified": "green", "terminal": "yellow", "not checked": "yellow"}
day = click.DateTime(formats=["%Y-%m-%d"])


@click.group(cls=CommandGroup, default="list")
def command() -> None:
    """List and show commitments; `pk commit` makes them."""


@command.command("list")
@click.option("--atom", metavar="ID", help="Only those that froze this atom.")
@click.option("--status", type=click.Choice(STANDINGS), help="Only those of this status.")
@click.option("--since", type=day, metavar="DAY", help="Only those made on this day (UTC) or later.")
@click.option("--until", type=day, metavar="DAY", help="Only those made on this day (UTC) or earlier.")
@as_json
def list_command(
    *,
    atom: str | None,
    status: str | None,
    since: datetime | None,
    until: datetime | None,
    json_: bool,
) -> None:
    """List commitments, the newest first.

    One is standing while any of its atoms is in force, superseded once none is, and broken where it or one of its
    atoms is not as it was.
    """
    chosen = Filter(atom, status, _date(since), _date(until))  # type: ignore[arg-type]  # click allows these words
    with workspace() as (opened, _):
        rows = list_commitments(opened, chosen)
    if json_:
        document({"commitments": COMMITMENT.each(rows)}, "commitments/1")
        return
    for row in rows:
        say(f"{bold(row.id)}  {row.at}  {row.by}  {_assurance(row)}  {_status(row)}")
        names = ", ".join(one.id for one in row.atoms[:MOST_ATOMS])
        more = len(row.atoms) - MOST_ATOMS
        say(f"    {count(len(row.atoms), 'atom')}: {names}{f' and {more:,} more' if more > 0 else ''}")
    if not rows:
        say("no commitments")


@command.command()
@click.argument("name", metavar="COM-…|IA-…")
@as_json
def show(name: str, *, json_: bool) -> None:
    """Show a commitment, or every commitment of an atom: what was frozen, who signed, and what stands."""
    with workspace() as (opened, _):
        rows = get_commitment(opened, name)
    if json_:
        document({"commitments": COMMITMENT.each(rows)}, "commitments/1")
        return
    for position, row in enumerate(rows):
        if position:
            say()
        for line in _lines(row):
            say(line)


def _lines(row: CommitmentRow) -> Iterator[str]:
    yield f"{bold(row.id)}  {_status(row)}"
    yield f"by       {row.by}"
    yield f"at       {row.at}"
    yield f"assured  {_assurance(row)}{f'  {dim(row.why)}' if row.why else ''}"
    for name, reason in row.overrides.items():
        yield f"override {name}: {reason}"
    for trouble in row.troubles:
        yield f"{click.style('broken', fg='red')}   {trouble}"
    for atom in row.atoms:
        yield ""
        yield from _atom_lines(atom)


def _atom_lines(atom: FrozenAtom) -> Iterator[str]:
    yield f"{bold(atom.id)}  {atom.status or 'gone'}{f', replaces {atom.replaces}' if atom.replaces else ''}"
    if atom.words is None:
        yield dim("    the commitment does not hold its words")
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
