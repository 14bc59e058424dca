"""`pk atom conflicts`: atoms that may contradict or repeat each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import click

from pactkeeper.doors.cli.atom_text import print_row
from pactkeeper.doors.cli.output import bold, count, dim, document, mark, say
from pactkeeper.doors.cli.parameters import as_json, workspace
from pactkeeper.intent.conflicts import KINDS, Kind
from pactkeeper.operators.conflicts import ConflictReport, ConflictRow, find_conflicts
from pactkeeper.published.atoms import ATOM
from pactkeeper.published.plain import Codec

MOST_SHOWN = 50


@click.command()
@click.option("--kind", "kinds", multiple=True, type=click.Choice(KINDS), help="Only this kind; repeatable.")
@click.option("--atom", metavar="ID", help="Only what is about this atom.")
@click.option("--all", "everything", is_flag=True, help=f"Print everything instead of the first {MOST_SHOWN}.")
@as_json
def command(*, kinds: tuple[Kind, ...], atom: str | None, everything: bool, json_: bool) -> None:
    """Find atoms that may contradict or repeat each other: same subject and other value, same words, one test for two.

    These are candidates with both sides and the choices. Nothing is settled by itself, and the exit code is 0; a waiver
    in the pact's waivers.toml keeps one away that you have answered for.
    """
    with workspace() as (opened, _):
        found = find_conflicts(opened, kinds, atom=atom)
    if json_:
        document(_CONFLICTS(found), "conflicts/1")
        return
    for row in found.rows if everything else found.rows[:MOST_SHOWN]:
        _print(row)
    if len(found.rows) > MOST_SHOWN and not everything:
        say(dim(f"… and {len(found.rows) - MOST_SHOWN:,} more; --all prints them"))
    waived = f"; {count(found.waived, 'more')} waived" if found.waived else ""
    held = f"; {count(found.held, 'pair')} left out that two tests hold at once" if found.held else ""
    series = f"; {count(found.left_out, 'series', 'series')} of alike sentences left out" if found.left_out else ""
    say(dim(f"{count(len(found.rows), 'candidate')}{waived}{series}{held}"))


def _print(row: ConflictRow) -> None:
    conflict, finding = row.candidate.conflict, row.candidate.located.finding
    say(f"{mark(finding.severity)} {finding.code} {bold(conflict.kind)}: {conflict.message}")
    for atom in row.atoms:
        print_row(atom)
        if atom.atom.origin:
            say(dim(f"            {atom.atom.origin}"))
    if conflict.kind == "contradiction":
        say(f"    {dim('either')} {conflict.ours}")
        say(f"    {dim('or    ')} {conflict.theirs}")
    if conflict.test:
        say(f"    {dim('test  ')} {conflict.test}")
    if row.judged is not None:
        say(f"    {dim('judged')} {_verdict(row)} {dim(f'by {row.judged.by}')}")
    for choice in conflict.choices:
        say(f"    {dim('·')} {choice}")
    say()


def _verdict(row: ConflictRow) -> str | None:
    """The verdict on how the atoms relate; None if nobody was asked."""
    value = None if row.judged is None else row.judged.value
    return str(value["verdict"]) if isinstance(value, Mapping) else None


_CONFLICT: Final = Codec(
    ConflictRow,
    "code=candidate.located.finding.code kind=candidate.conflict.kind severity=candidate.located.finding.severity"
    " message=candidate.conflict.message ours=candidate.conflict.ours theirs=candidate.conflict.theirs test="
    " judged= choices=candidate.conflict.choices fingerprint=candidate.located.finding.fingerprint atoms",
    test=lambda row: row.candidate.conflict.test or None,
    judged=_verdict,
    atoms=ATOM,
)
_CONFLICTS: Final = Codec(ConflictReport, "waived left_out held conflicts=rows", conflicts=_CONFLICT)
