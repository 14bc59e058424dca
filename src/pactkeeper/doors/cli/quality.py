"""`pk atom quality`, `pk atom refine` and `pk atom conflicts`: how good the words of atoms are, and which clash."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

import click

from pactkeeper.authoring.words import Refinement
from pactkeeper.doors.cli.atom import print_row
from pactkeeper.doors.cli.output import bold, count, dim, document, first_of, mark, say, tally, until_closed
from pactkeeper.doors.cli.parameters import as_json, in_workspace, workspace
from pactkeeper.errors import UsageError
from pactkeeper.intent.atoms import Atom
from pactkeeper.intent.conflicts import KINDS, Kind
from pactkeeper.intent.quality import Deduction, Quality
from pactkeeper.ledger.canonical import counted
from pactkeeper.operators.conflicts import ConflictReport, ConflictRow, find_conflicts
from pactkeeper.operators.words import Judged, analyze_intent, refine_atom, validate_atom_quality
from pactkeeper.published.atoms import ATOM
from pactkeeper.published.plain import Codec
from pactkeeper.published.quality import QUALITY, refinement_document

MOST_CONFLICTS = 50


@click.command()
@click.option("--kind", "kinds", multiple=True, type=click.Choice(KINDS), help="Only this kind; repeatable.")
@click.option("--atom", metavar="ID", help="Only what is about this atom.")
@click.option("--all", "everything", is_flag=True, help=f"Print all instead of the first {MOST_CONFLICTS}.")
@as_json
def conflicts_command(*, kinds: tuple[Kind, ...], atom: str | None, everything: bool, json_: bool) -> None:
    """Find atoms that may contradict or repeat each other: conflicting values, same words, or one test for two.

    Lists candidates with both sides and the choices. Nothing is changed, and the exit code is 0; a waiver in the pact's
    waivers.toml hides a candidate you have dealt with.
    """
    found = in_workspace(find_conflicts, kinds, atom=atom)
    if json_:
        document(_CONFLICTS(found), "conflicts/1")
        return
    most = len(found.rows) if everything else MOST_CONFLICTS
    for row in first_of(found.rows, most, "… and {} more; --all prints them"):
        _print_conflict(row)
    waived = f"; {count(found.waived, 'more')} waived" if found.waived else ""
    held = f"; {count(found.held, 'pair')} left out because tests hold both at once" if found.held else ""
    series = f"; {count(found.left_out, 'series', 'series')} of similar sentences left out" if found.left_out else ""
    say(dim(f"{count(len(found.rows), 'candidate')}{waived}{series}{held}"))


def _print_conflict(row: ConflictRow) -> None:
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


SCHEMA = "quality/1"
MOST_SHOWN = 20


@click.command()
@click.argument("atoms", nargs=-1, metavar="[ATOM]...")
@click.option(
    "--all", "everything", is_flag=True, help=f"Show every atom, not the {MOST_SHOWN} with the lowest scores."
)
@click.option(
    "--below", type=click.IntRange(1, 100), metavar="N", help="Show atoms below N, and exit 1 if there are any."
)
@as_json
def command(atoms: tuple[str, ...], *, everything: bool, below: int | None, json_: bool) -> int:
    """Score the words of atoms from 0 to 100, with a reason and a suggestion for every point lost.

    Observable 25, falsifiable 25, implementation-agnostic 20, unambiguous 15, clear success criteria 15. A commitment
    needs 80, and at least two thirds of each of the first four (INV-002, INV-003), hints left out: those are what rules
    can only guess. From 60 on, words are worth revising. Without ATOM: all in force, lowest first.
    """
    judged = in_workspace(validate_atom_quality, atoms)
    low = [one for one in judged if below is not None and one.quality.score < below]
    shown = low if below is not None else list(judged)
    with until_closed():
        if json_:
            document({"atoms": [_document(one) for one in shown], "summary": _summary(judged)}, SCHEMA)
        else:
            _print(shown, most=len(shown) if everything or atoms or below else MOST_SHOWN)
            say(_counts(judged))
    return 1 if low else 0


def _print(shown: Sequence[Judged], most: int) -> None:
    for one in first_of(shown, most, "… and {} with higher scores; --all shows them"):
        said = (
            f"{one.quality.score} {click.style('refused', fg='red')}" if _is_refused(one) else verdict_text(one.quality)
        )
        say(f"{bold(one.atom.id)}  {said}  {one.atom.intent}")
        if one.refused:
            say(f"  {mark('error')} the gate would refuse to commit this: {', '.join(one.refused)}")
        print_deductions(one.quality)


def _is_refused(one: Judged) -> bool:
    """Whether a commitment refuses words that the rules can read, whatever their score."""
    return bool(one.refused) and one.quality.judged


def _counts(judged: Sequence[Judged]) -> str:
    refused = sum(map(_is_refused, judged))
    verdicts = {"refused": refused, **_summary([one for one in judged if not _is_refused(one)])}
    return f"{count(len(judged), 'atom')}: {tally(list(verdicts.items())) or 'none'}"


def _summary(judged: Sequence[Judged]) -> dict[str, int]:
    verdicts = (one.quality.verdict if one.quality.judged else "not judged" for one in judged)
    return counted(verdicts, ("approve", "revise", "reject", "not judged"))


_JUDGED: Final = Codec(Judged, "id=atom.id status intent=atom.intent")


def _document(one: Judged) -> dict[str, object]:
    refused = [{"rule": rule, "reason": reason} for rule, reason in one.refused.items()]
    return {**_JUDGED(one), **QUALITY(one.quality), "refused": refused}


COLOURS = {"approve": "green", "revise": "yellow", "reject": "red"}
PLACES = {"intent": "", "outcomes": "outcome ", "falsified_by": "falsifier "}


def verdict_text(quality: Quality) -> str:
    """`93 approve`, or the language if it was not judged."""
    word = click.style(quality.verdict, fg=COLOURS[quality.verdict])
    return f"{quality.score} {word}" if quality.judged else f"not judged: {quality.language}"


def print_deductions(quality: Quality) -> None:
    """Print the points each criterion lost, with the words at fault; criteria without a loss are left out.

    Of words in a language that the rules don't read, only the missing parts are named, without points.
    """
    if not quality.judged:
        _print_unread(quality)
        return
    for dimension in quality.dimensions:
        if not dimension.deductions:
            continue
        say(f"  {dimension.name} {dimension.points}/{dimension.most}")
        for one in dimension.deductions:
            say(f"    −{one.points}  {'hint: ' if one.hint else ''}{_cited(one)}{one.why}")
            say(f"        {dim(one.suggestion)}")


def _print_unread(quality: Quality) -> None:
    unread = dict.fromkeys(one for each in quality.dimensions for one in each.deductions)
    for why, suggestion in dict.fromkeys((one.why, one.suggestion) for one in unread):
        say(f"  {why}; {dim(suggestion)}")


def _cited(one: Deduction) -> str:
    place = f"{PLACES[one.place]}{one.at + 1}, " if one.place != "intent" and one.words else ""
    return f"{place}“{one.words}”: " if one.words else ""


_ID = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:-[0-9A-Za-z]+)+")


@click.command()
@click.argument("words", nargs=-1, required=True, metavar="SENTENCE|ATOM")
@click.option(
    "--outcome", "outcomes", multiple=True, metavar="TEXT", help="Judge the sentence together with this; repeatable."
)
@as_json
def refine(words: tuple[str, ...], *, outcomes: tuple[str, ...], json_: bool) -> None:
    """Check whether SENTENCE, or an atom of the pact, is a single behaviour, and what it leaves open.

    Writes nothing: `pk atom new` declares what you choose, `pk atom edit` changes a draft.
    """
    text = " ".join(words)
    atom: Atom | None = None
    with workspace() as (opened, _):
        if _ID.fullmatch(text.strip()):
            atom, found = refine_atom(opened, text.strip(), outcomes=outcomes)
        elif len(text.split()) == 1:
            raise UsageError(f"{text!r} is neither a sentence nor the id of an atom; give a sentence in quotes")
        else:
            found = analyze_intent(opened, text, outcomes)
    if json_:
        document(refinement_document(found, atom), "refinement/1")
    else:
        _print_refined(found, atom)


def _print_refined(found: Refinement, atom: Atom | None) -> None:
    name = "" if atom is None else f"{atom.id}  "
    say(f"{bold(name + found.words.intent)}  {verdict_text(found.quality)}")
    print_deductions(found.quality)
    say()
    say("may be several behaviours:" if found.joints else "one behaviour")
    for joint in found.joints:
        say(f"  “{joint}”")
    if found.questions:
        say("open questions:")
        for question in found.questions:
            say(f"  ? {question}")
