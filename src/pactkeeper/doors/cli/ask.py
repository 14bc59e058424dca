"""`pk ask`: a question in words, an answer with its proof."""

from __future__ import annotations

import click

from pactkeeper.doors.cli.ask_text import print_answer
from pactkeeper.doors.cli.output import document
from pactkeeper.doors.cli.parameters import as_json, workspace

TOLD = 0
NOT_TOLD = 1


@click.command()
@click.argument("words", nargs=-1, required=True, metavar="QUESTION")
@click.option("--thread", metavar="ASK-ID", help="Answer a question that waits for a choice; QUESTION is the word.")
@click.option("--ask-model", is_flag=True, help="Let the model that is set up help; its sentences are checked.")
@as_json
@click.pass_context
def command(ctx: click.Context, words: tuple[str, ...], *, thread: str | None, ask_model: bool, json_: bool) -> int:
    """Answer QUESTION about this repository and its pact, with the lines that prove it.

    Nothing is written: a wish that would write becomes a command for you to run. Exit 0: answered; 1: the repository
    does not say, or the question may mean several things; 2: it could not be asked.
    """
    from pactkeeper.chat.asking import ask, reply, with_model  # noqa: PLC0415 - half the start of a command
    from pactkeeper.chat.here import Here  # noqa: PLC0415 - likewise

    text = " ".join(words)
    with workspace(ctx) as (opened, _):
        opened.ensure_settled()
        here = with_model(opened) if ask_model else Here(opened)
        found = ask(here, text) if thread is None else reply(here, thread, text)
    if json_:
        document(found)
    else:
        print_answer(found)
    return TOLD if found["kind"] in {"answer", "proposal"} else NOT_TOLD
