"""`pk atom refine`: one behaviour or several, and what is left open."""

from __future__ import annotations

import re

import click

from pactkeeper.authoring.refining import Refinement
from pactkeeper.doors.cli.output import bold, document, say
from pactkeeper.doors.cli.parameters import as_json, workspace
from pactkeeper.doors.cli.quality import print_deductions, verdict_text
from pactkeeper.errors import UsageError
from pactkeeper.intent.atoms import Atom
from pactkeeper.operators.words import analyze_intent, refine_atom
from pactkeeper.published.atoms import refinement_document

_ID = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:-[0-9A-Za-z]+)+")


@click.command()
@click.argument("words", nargs=-1, required=True, metavar="SENTENCE|ATOM")
@as_json
def command(words: tuple[str, ...], *, json_: bool) -> None:
    """Say whether SENTENCE, or an atom of the pact, is one behaviour, and what it leaves open.

    Reads and never writes: `pk atom new` declares what you choose, `pk atom edit` changes a draft.
    """
    text = " ".join(words)
    atom: Atom | None = None
    with workspace() as (opened, _):
        if _ID.fullmatch(text.strip()):
            atom, found = refine_atom(opened, text.strip())
        elif len(text.split()) == 1:
            raise UsageError(f"{text!r} is neither a sentence nor the id of an atom; give a sentence in quotes")
        else:
            found = analyze_intent(opened, text)
    if json_:
        document(refinement_document(found, atom), "refinement/1")
    else:
        _print(found, atom)


def _print(found: Refinement, atom: Atom | None) -> None:
    name = "" if atom is None else f"{atom.id}  "
    say(f"{bold(name + found.words.intent)}  {verdict_text(found.quality)}")
    print_deductions(found.quality)
    say()
    say("may be several behaviours:" if found.joints else "one behaviour")
    for joint in found.joints:
        say(f"  “{joint}”")
    if found.questions:
        say("to be asked:")
        for question in found.questions:
            say(f"  ? {question}")
