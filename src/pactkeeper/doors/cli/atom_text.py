"""Print atoms on a terminal."""

from __future__ import annotations

from collections.abc import Sequence

import click

from pactkeeper.doors.cli.output import bold, dim, place_of, say
from pactkeeper.intent.atoms import Clarification
from pactkeeper.intent.evidence_state import MOST_NAMED, Backing
from pactkeeper.intent.ids import Near
from pactkeeper.operators.atoms import AtomDetail, AtomRow

COLOURS = {"committed": "green", "draft": "yellow", "proposed": "cyan", "superseded": "blue", "abandoned": "red"}


def status_word(row: AtomRow, width: int = 0) -> str:
    """The derived status in its colour, padded to a width."""
    return click.style(f"{row.status:<{width}}", fg=COLOURS.get(row.status))


def print_row(row: AtomRow) -> None:
    """Print an atom on one line, and below it what backs it if that was asked."""
    say(f"{row.atom.id}  {status_word(row, 10)}  {dim(f'{row.atom.category:<15}')}  {row.atom.intent}")
    if row.backing is not None:
        say(f"    {backing_words(row.backing)}")


def backing_words(backing: Backing) -> str:
    """Name the tests that prove an atom, or say that none does and why."""
    if backing.backed:
        more = f" and {len(backing.tests) - MOST_NAMED:,} more" if len(backing.tests) > MOST_NAMED else ""
        failed = f"{click.style('failed', fg='red')}; " if backing.state == "failing" else ""
        return f"{failed}{click.style('backed', fg='green')} by {', '.join(backing.tests[:MOST_NAMED])}{more}"
    return f"{click.style('no test backs it', fg='yellow')}: {backing.lacks}"


def print_detail(detail: AtomDetail) -> None:
    """Print everything an atom's table says, and what follows from the rest of the pact."""
    row, atom = detail.row, detail.row.atom
    print_words(row)
    for label, text in (
        ("tags", ", ".join(atom.tags)),
        ("from", f"{atom.origin or 'no test'}  {dim(atom.source)}"),
        ("commitment", row.commitment or ""),
        ("replaces", atom.supersedes or ""),
        ("replaced by", row.successor or ""),
        ("waiting", f"{row.waiting} is declared to replace it" if row.waiting else ""),
        ("abandoned", atom.reason or ""),
        ("molecules", ", ".join(f"{one.id} {one.name}" for one in detail.molecules)),
        ("tests", "\n            ".join(row.tests)),
        ("backed", backing_words(row.backing) if row.backing is not None else ""),
        ("table", place_of(atom.path, atom.line)),
    ):
        if text:
            say(f"{dim(f'{label:<11}')} {text}")
    print_clarifications(detail.clarifications)


def print_clarifications(clarifications: Sequence[Clarification]) -> None:
    """Print questions with their answers."""
    for said in clarifications:
        say(f"{dim(f'{said.id:<11}')} {said.question}")
        say(f"{'':<11} {said.answer}  {dim(f'{said.by}, {said.at[:10]}')}")


def print_words(row: AtomRow) -> None:
    """Print an atom's id, status, category, sentence, outcomes and falsifiers."""
    say(f"{bold(row.atom.id)}  {status_word(row)}  {dim(row.atom.category)}")
    say(f"  {row.atom.intent}")
    for outcome in row.atom.outcomes:
        say(f"    • {outcome}")
    for falsifier in row.atom.falsified_by:
        say(f"    {dim('not:')} {falsifier}")


def print_near(near: tuple[Near, ...]) -> None:
    """Print the atoms that say nearly the same."""
    if near:
        say(dim("nearly the same as"))
        for one in near:
            say(f"  {one.atom.id}  {one.atom.intent}")
