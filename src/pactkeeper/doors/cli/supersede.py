"""`pk atom supersede` and `pk atom clarify`: another atom in place of one, and what one means."""

from __future__ import annotations

import click

from pactkeeper.doors.cli.applied import print_applied
from pactkeeper.doors.cli.atom_text import print_near
from pactkeeper.doors.cli.atom_writing import (
    TypedAtom,
    anyway_option,
    word_options,
    words_from_editor,
)
from pactkeeper.doors.cli.output import document, say
from pactkeeper.doors.cli.parameters import as_json, dry_run_option, workspace
from pactkeeper.operators.atoms import clarify_atom, get_atom
from pactkeeper.operators.authored import Replaced, supersede_atom
from pactkeeper.published.atoms import NEAR
from pactkeeper.published.ops import APPLIED
from pactkeeper.reconcile.authored import AtomChange


@click.command()
@click.argument("old")
@click.argument("new", required=False)
@click.option("--intent", metavar="SENTENCE", help="What holds instead.")
@word_options
@click.option("--edit", "in_editor", is_flag=True, help="Word the successor in your editor (VISUAL or EDITOR).")
@click.option("--reason", help="Why it is replaced; kept in the journal.")
@anyway_option
@dry_run_option
@as_json
def command(  # noqa: PLR0913 - one argument an option
    old: str,
    new: str | None,
    *,
    intent: str | None,
    words: TypedAtom,
    in_editor: bool,
    reason: str | None,
    anyway: bool,
    dry_run: bool,
    json_: bool,
) -> None:
    """Declare that the atom NEW, or one in the words you give, replaces OLD; what you leave out is taken over.

    A committed atom stays in force until its successor is committed. An atom has one successor.
    """
    if bool(intent or in_editor or words) == (new is not None):
        raise click.UsageError("name the atom that replaces it, or say with --intent or --edit what holds instead")
    with workspace() as (opened, _):
        wanted: str | AtomChange = new or words.change(intent)
        if in_editor:
            found = get_atom(opened, old)
            note = f"what replaces {found.row.atom.id}; save and leave to declare it"
            instead = f"say what holds instead: pk atom supersede {old} --intent …"
            wanted = words_from_editor(opened, found.row.atom, note=note, instead=instead)
        done = supersede_atom(opened, old, wanted, reason=reason, anyway=anyway, dry_run=dry_run)
    if json_:
        document(
            {
                "old": done.old,
                "new": done.new,
                "status": done.status,
                "near": NEAR.each(done.near),
                "applied": APPLIED(done.applied),
            },
            "superseded/1",
        )
    else:
        print_near(done.near)
        print_applied(done.applied)
        say(_outlook(done))


def _outlook(done: Replaced) -> str:
    if done.status == "committed":
        return f"{done.old} is committed and holds until {done.new} is; next: pk commit {done.new}"
    if done.status != "superseded":
        return f"{done.old} holds while {done.new} is a proposal; to take it up: pk atom edit {done.new} --status draft"
    return f"{done.old} is superseded by {done.new}; pk reconcile offers it to the tests that link to {done.old}"


@click.command()
@click.argument("atom")
@click.argument("question")
@click.option("--answer", required=True, help="What is meant.")
@click.option("--replace", is_flag=True, help="Answer otherwise than before.")
@as_json
def clarify(atom: str, question: str, *, answer: str, replace: bool, json_: bool) -> int:
    """Record what is meant where an atom's words leave a QUESTION open.

    It is kept in the pact's clarifications.toml and shown with the atom, whose own table stays as it is: a committed
    atom can be clarified. Where the behaviour itself is to be another, `pk atom supersede` replaces the atom.
    """
    with workspace() as (opened, _):
        done = clarify_atom(opened, atom, question, answer, replace=replace)
    said = done.clarification
    if json_:
        document(
            {
                "id": said.id,
                "atom": said.atom,
                "question": said.question,
                "answer": said.answer,
                "before": done.before,
                "by": said.by,
                "at": said.at,
                "entry": None if done.entry is None else done.entry.id,
            },
            "clarification/1",
        )
    elif done.entry is None:
        say(f"{said.id} says so already")
    else:
        say(f"recorded {said.id} about {said.atom}; pk undo takes it back")
    return 0
