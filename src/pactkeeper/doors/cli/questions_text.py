"""Questions as a person reads them: what is asked, what is known, and how an answer is given."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pactkeeper.doors.cli.output import bold, dim, say
from pactkeeper.ledger.answering import Prompt
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.kinds import KINDS
from pactkeeper.ledger.question import Question, answer_shape
from pactkeeper.ledger.shape import Choice, Items, Keyed, Quote, Shape, Text, Truth, Whole
from pactkeeper.reconcile.hints import answer_command

SHOWN_LINES: Final = 4
# What of a context is told in words, in this order; source lines come last.
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
    """Print a question in the words in which a model or an agent is asked it."""
    say(f"{bold(one.subject)}  {dim(f'{prompt.version} {one.id}')}")
    say()
    say(prompt.instructions)
    say(prompt.material)
    say(f"answer: {looks(answer_shape(one))}")
    say(answer_command(one))


def looks(shape: Shape) -> str:
    """What a value of a shape looks like, on one line; a question mark stands after a key that may be left out."""
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
