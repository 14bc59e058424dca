"""`pk atom clarify`: a question about an atom with its answer."""

from __future__ import annotations

import click

from pactkeeper.doors.cli.output import document, say
from pactkeeper.doors.cli.parameters import as_json, workspace
from pactkeeper.operators.atoms import clarify_atom


@click.command()
@click.argument("atom")
@click.argument("question")
@click.option("--answer", required=True, help="What is meant.")
@click.option("--replace", is_flag=True, help="Answer otherwise than before.")
@as_json
def command(atom: str, question: str, *, answer: str, replace: bool, json_: bool) -> None:
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
