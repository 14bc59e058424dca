"""`pk questions`: what rules could not settle, and how people answer it.

Questions are printed for a person: what is asked, what is known, and how to answer.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

import click

from pactkeeper.doors.cli.groups import CommandGroup
from pactkeeper.doors.cli.output import bold, count, dim, document, first_of, note, say
from pactkeeper.doors.cli.parameters import as_json, in_workspace, workspace
from pactkeeper.errors import UsageError
from pactkeeper.intent.atoms import CATEGORIES
from pactkeeper.ledger.answering import Prompt
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.patch import encode_question
from pactkeeper.ledger.question import KINDS, RAISED, Question, answer_shape
from pactkeeper.ledger.shape import Choice, Items, Keyed, Quote, Shape, Text, Truth, Whole, json_schema
from pactkeeper.operators import questions
from pactkeeper.operators.driving import raise_questions
from pactkeeper.operators.questions import Answered, TestWords
from pactkeeper.reconcile.backlog import answer_command
from pactkeeper.repo.named_file import read_text_named

MOST_BYTES = 1 << 20  # of an answer


@click.group(cls=CommandGroup, default="list")
def command() -> None:
    """List questions that rules could not decide; answer them with `pk questions answer`."""


@command.command("list")
@click.option("--run", metavar="RUN", help="Only questions from this run.")
@click.option("--kind", type=click.Choice(list(KINDS)), help="Only questions of this kind.")
@click.option("--limit", type=click.IntRange(min=1), default=20, show_default=True, metavar="N", help="At most N.")
@as_json
def list_command(*, run: str | None, kind: str | None, limit: int, json_: bool) -> None:
    """List open questions."""
    found = in_workspace(questions.pending_questions, run=run, kind=kind)
    if json_:
        document({"questions": [_encoded(one) for one in found]}, "questions/1")
        return
    for one in first_of(found, limit, "… and {} more: --limit N"):
        print_question(one)
    say("no open questions" if not found else f"{count(len(found), 'question')}; {answer_command(found[0])}")


@command.command()
@click.argument("name", metavar="QUESTION|TEST")
@as_json
def show(name: str, *, json_: bool) -> None:
    """Show a question as a model or an agent sees it, and the format of its answer."""
    with workspace() as (opened, _):
        question = questions.named_question(opened, name)
        (prompt,) = questions.asked(opened, [question])
    if json_:
        document({**_encoded(question), **_put(prompt)}, "question/1")
    else:
        print_whole(question, prompt)


@command.command("raise")
@click.argument("kind", type=click.Choice(RAISED))
@click.argument("atoms", nargs=-1, metavar="[ATOM]...")
@as_json
def raise_(kind: str, atoms: tuple[str, ...], *, json_: bool) -> None:
    """Raise questions about uncommitted atoms: better words, single behaviours, or how two atoms relate."""
    found = in_workspace(raise_questions, kind, atoms)
    if json_:
        document({"questions": [_encoded(one) for one in found]}, "questions/1")
        return
    for one in found:
        print_question(one)
    say(f"{count(len(found), 'question')}; {answer_command(found[0])}" if found else "rules find nothing to ask")


@command.command()
@click.argument("name", metavar="QUESTION|TEST")
@click.option("--intent", help="One sentence: the behaviour that the test checks.")
@click.option("--category", type=click.Choice(CATEGORIES), default="functional", show_default=True)
@click.option("--outcome", "outcomes", multiple=True, help="What can be observed; repeatable; default: the intent.")
@click.option("--quote", "quotes", multiple=True, help="A line of the source that proves it; repeatable.")
@click.option("--yes", "word", flag_value="yes", help="Answer yes.")
@click.option("--no", "word", flag_value="no", help="Answer no.")
@click.option("--choose", "word", metavar="WORD", help="Answer with one of the options offered.")
@click.option("--answer", "value", metavar="JSON", help="The complete answer as JSON; - reads it from stdin.")
def answer(  # noqa: PLR0913 - one argument per option
    name: str,
    *,
    intent: str | None,
    category: str,
    outcomes: tuple[str, ...],
    quotes: tuple[str, ...],
    word: str | None,
    value: str | None,
) -> None:
    """Answer a question; the run that asked it continues, and its proposals wait for review."""
    if sum(one is not None for one in (intent, word, value)) != 1:
        raise UsageError("give one of --intent, --yes, --no, --choose or --answer; see: pk questions show")
    with workspace() as (opened, _):
        taken: Answered
        if intent is not None:
            taken = questions.word_test(opened, name, TestWords(intent, category, outcomes, quotes))
        elif word is not None:
            taken = questions.choose_answer(opened, name, word, quotes)
        else:
            taken = questions.answer_question(opened, name, _parsed(value or ""))
    _say_taken(taken)


def _parsed(text: str) -> JsonValue:
    given = read_text_named("-", "the answer", most=MOST_BYTES) if text == "-" else text
    try:
        found: JsonValue = json.loads(given)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"the answer is not JSON: {error}; for its format: pk questions show") from error
    return found


def _say_taken(taken: Answered) -> None:
    for one in taken.notes:
        note(f"accepted as you say; rules would object: {one}")
    if taken.patch is not None:
        say(
            f"accepted; {bold(taken.patch.id)} proposes {count(len(taken.patch.ops), 'op')}: pk review {taken.patch.id}"
        )
    elif taken.made is None:
        say("accepted; the next pk reconcile continues with it")
    else:
        say(f"accepted; {bold(taken.made.run.id)} proposes {count(len(taken.made.patch.ops), 'op')} now: pk review")


def _encoded(one: Question) -> dict[str, JsonValue]:
    return {**encode_question(one), "prompt": KINDS[one.kind].prompt, "answer_schema": json_schema(answer_shape(one))}


def _put(prompt: Prompt) -> dict[str, JsonValue]:
    return {"version": prompt.version, "instructions": prompt.instructions, "material": prompt.material}


SHOWN_LINES: Final = 4
# The parts of a context that are printed, in this order; source lines come last.
_TOLD: Final = (
    ("reasons", "unsure"),
    ("draft", "a draft"),
    ("says", "the test says"),
    ("atom", "the atom"),
    ("intent", "it says"),
    ("outcomes", "outcomes"),
    ("why", "because"),
    ("parts", "rules would split it"),
    ("lacks", "its words lack"),
    ("called", "rules call it"),
)


def print_question(one: Question) -> None:
    """Print one question of a list."""
    say(f"{bold(one.subject)}  {dim(f'{one.kind} {one.id}')}")
    say(f"  {KINDS[one.kind].prompt}")
    for key, label in _TOLD:
        if value := one.context.get(key):
            said = _flat(value)
            say(dim(f"  {label}: {said.replace('_', ' ') if key == 'reasons' else said}"))
    for option in one.options:
        say(f"  - {option}")
    for line in _lines(one.context.get("source", one.context.get("texts"))):
        say(dim(f"    {line}"))


def print_whole(one: Question, prompt: Prompt) -> None:
    """Print a question as a model or an agent is asked it."""
    say(f"{bold(one.subject)}  {dim(f'{prompt.version} {one.id}')}")
    say()
    say(prompt.instructions)
    say(prompt.material)
    say(f"answer: {looks(answer_shape(one))}")
    say(answer_command(one))


def looks(shape: Shape) -> str:
    """The form of a value of this shape, on one line; optional keys are marked with a question mark."""
    match shape:
        case Keyed(required, optional):
            members = [f"{key}: {looks(of)}" for key, of in required.items()]
            members += [f"{key}?: {looks(of)}" for key, of in optional.items()]
            return f"{{{', '.join(members)}}}"
        case Items(of):
            return f"[{looks(of)}, …]"
        case Choice(options):
            return " | ".join(options)
        case Truth():
            return "true | false"
        case Whole(least, most):
            return f"{least}–{most}"
        case Quote():
            return "quote"
        case Text():
            return "text"
        case _:
            return "value"


def _flat(value: JsonValue) -> str:
    if isinstance(value, list | tuple):
        return "; ".join(str(one) for one in value)
    return str(value)


def _lines(value: JsonValue) -> Iterator[str]:
    for line in value[:SHOWN_LINES] if isinstance(value, list) else ():
        yield str(line).strip().splitlines()[0] if str(line).strip() else ""
