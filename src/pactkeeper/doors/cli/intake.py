"""`pk atom import`: turn a note, an issue or a feature file into proposed atoms."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from pactkeeper.authoring.source import Intake, KnownAtom, NotTaken, ProposedAtom, Span
from pactkeeper.doors.cli.output import bold, count, dim, document, say, until_closed
from pactkeeper.doors.cli.parameters import as_json, in_workspace
from pactkeeper.intent.ids import Near
from pactkeeper.operators.authored import STDIN, Given, Intaken, intake_text
from pactkeeper.published.plain import Codec
from pactkeeper.published.quality import QUALITY
from pactkeeper.repo.named_file import read_named, read_stdin

MOST_QUOTED = 60
MOST_BYTES = 4 << 20  # more than any notes that a person would read


@click.command()
@click.argument("file", metavar="FILE|-")
@click.option("--write", is_flag=True, help="Save the patch for `pk review` and `pk apply`.")
@as_json
@click.pass_context
def command(ctx: click.Context, file: str, *, write: bool, json_: bool) -> None:
    """Propose atoms from FILE: Markdown, plain notes or a Gherkin feature; - reads stdin.

    Picks up scenarios, user stories, items under headings such as "Acceptance criteria", checkbox items, and sentences
    with must or should. Each proposal quotes its lines; every other line is listed with the reason. Nothing becomes an
    atom until a person accepts it.
    """
    place = file if file == STDIN else str(Path(ctx.obj) / file)
    data = _read(place)
    found = in_workspace(intake_text, Given(place, data, write))
    with until_closed():
        if json_:
            document(_INTAKEN(found), "intake/1")
        else:
            _print(found)


def _read(place: str) -> bytes:
    if place == STDIN:
        return read_stdin("the text", most=MOST_BYTES)
    return read_named(Path(place), repr(place), most=MOST_BYTES, advice="split it and take it in piece by piece")


def _print(found: Intaken) -> None:
    intake = found.intake
    for proposal in intake.proposals:
        _print_proposal(proposal)
    if intake.known:
        say(bold("in the pact already"))
        for known in intake.known:
            say(f"  {known.span.place}  {known.atom} ({known.status}): {known.intent}")
    if intake.not_taken:
        say(bold("not taken"))
        for left in intake.not_taken:
            say(f"  {left.span.place}  {_short(left.span)}")
            say(f"      {dim('because it ' + left.why)}")
    say(_summary(intake))
    if found.file is not None:
        say(f"saved; next: pk review {found.file}")
    elif intake.proposals:
        say(dim("nothing was saved; to save the patch for pk review, use --write"))


def _print_proposal(one: ProposedAtom) -> None:
    name = bold(f"+ {one.op.payload['atomId']}")
    say(f"{name}  {one.words.intent}  {dim(one.words.category)}")
    for outcome in one.words.outcomes:
        say(f"    • {outcome}")
    under = f", under {one.under!r}" if one.under else ""
    for span in one.spans:
        say(f"    {span.place}  {one.how}{under}: {' '.join(span.quote.split())}")
    for note in one.notes:
        say(dim(f"    {note}"))
    for near in one.alike:
        say(f"    alike ({near.points}): {near.atom.id}  {near.atom.intent}")
    objections = {deduction.words: deduction.why for deduction in reversed(one.quality.deductions) if deduction.words}
    for words, why in objections.items():
        say(dim(f"    “{words}”: {why}"))


def _short(span: Span) -> str:
    first, *rest = span.quote.splitlines()
    shown = first if len(first) <= MOST_QUOTED else f"{first[: MOST_QUOTED - 1]}…"
    return f"{shown} …" if rest else shown


def _summary(intake: Intake) -> str:
    parts = [
        count(len(intake.proposals), "atom") + " proposed",
        count(len(intake.known), "line") + " in the pact already",
        count(len(intake.not_taken), "place") + " not taken",
    ]
    return ", ".join(parts)


_SPAN: Final = Codec(Span, "file=path line=start end_line=end quote")
_PROPOSAL: Final = Codec(
    ProposedAtom,
    "op=op.id atom= intent=words.intent category=words.category outcomes=words.outcomes"
    " falsified_by=words.falsified_by tags= how under notes evidence=spans alike quality",
    atom=lambda one: one.op.payload["atomId"],
    tags=lambda one: one.op.payload["tags"],
    evidence=_SPAN,
    alike=Codec(Near, "atom=atom.id intent=atom.intent points"),
    quality=QUALITY,
)
_INTAKEN: Final = Codec(
    Intaken,
    "source patch=intake.patch.id file= proposals=intake.proposals known=intake.known not_taken=intake.not_taken",
    file=lambda found: found.file and str(found.file),
    proposals=_PROPOSAL,
    known=Codec(KnownAtom, "atom status intent evidence=span", evidence=_SPAN),
    not_taken=Codec(NotTaken, "why evidence=span", evidence=_SPAN),
)
