"""`pk questions`: what rules could not settle, and a person's answer to it."""

from __future__ import annotations

import click

from pactkeeper.doors.cli.output import bold, count, dim, document, say
from pactkeeper.doors.cli.parameters import as_json, workspace
from pactkeeper.intent.atoms import CATEGORIES
from pactkeeper.ledger.patch import encode_question
from pactkeeper.ledger.question import KINDS, Question
from pactkeeper.operators import call
from pactkeeper.operators.questions import Answered, TestWords

SHOWN_LINES = 4


@click.group(invoke_without_command=True)
@click.option("--run", metavar="RUN", help="Only what this run asks.")
@click.option("--limit", type=click.IntRange(min=1), default=20, show_default=True, metavar="N", help="At most N.")
@as_json
@click.pass_context
def command(ctx: click.Context, *, run: str | None, limit: int, json_: bool) -> int:
    """List what rules could not settle; `pk questions answer` says it in a person's words."""
    if ctx.invoked_subcommand is not None:
        return 0
    with workspace(ctx) as (opened, _):
        found: tuple[Question, ...] = call("pending_questions", opened, run=run)
    if json_:
        document({"schema": "pactkeeper.questions/1", "questions": [encode_question(one) for one in found]})
        return 0
    for one in found[:limit]:
        _print(one)
    if len(found) > limit:
        say(dim(f"… and {len(found) - limit:,} more: --limit N"))
    say("nothing is asked" if not found else f"{count(len(found), 'question')}; pk questions answer TEST --intent '…'")
    return 0


@command.command()
@click.argument("name", metavar="QUESTION|TEST")
@click.option("--intent", required=True, help="One sentence: the behaviour that the test checks.")
@click.option("--category", type=click.Choice(CATEGORIES), default="functional", show_default=True)
@click.option("--outcome", "outcomes", multiple=True, help="What can be observed; repeatable; default: the intent.")
@click.option("--quote", "quotes", multiple=True, help="A line of the source that shows it; repeatable.")
@click.pass_context
def answer(  # noqa: PLR0913 - one argument an option
    ctx: click.Context, name: str, *, intent: str, category: str, outcomes: tuple[str, ...], quotes: tuple[str, ...]
) -> int:
    """Say what a test is for; the run that asked goes on with it, and what it proposes waits for review."""
    with workspace(ctx) as (opened, _):
        taken: Answered = call("word_test", opened, name, TestWords(intent, category, outcomes, quotes))
    if taken.made is None:
        say("taken; the next pk reconcile goes on with it")
    else:
        say(f"taken; {bold(taken.made.run.id)} proposes {count(len(taken.made.patch.ops), 'op')} now: pk review")
    return 0


def _print(one: Question) -> None:
    say(f"{bold(one.subject)}  {dim(one.id)}")
    say(f"  {KINDS[one.kind].prompt}")
    reasons = one.context.get("reasons")
    if isinstance(reasons, list) and reasons:
        say(dim(f"  unsure: {', '.join(str(reason).replace('_', ' ') for reason in reasons)}"))
    if one.context.get("draft"):
        say(dim(f"  a draft: {one.context['draft']}"))
    source = one.context.get("source")
    for line in source[:SHOWN_LINES] if isinstance(source, list) else ():
        say(dim(f"    {str(line).strip().splitlines()[0]}"))
