"""The verb that takes a question in words, for programs: the same graphs and answers as on the command line."""

from __future__ import annotations

from typing import Final

from pactkeeper.chat import asking
from pactkeeper.chat.here import Here
from pactkeeper.ledger.shape import Text
from pactkeeper.verbs.verb import ID, Call, Document, Verb, both, may, needs


def ask(asked: Call) -> Document:
    """Answer a question, or go on with one that waits."""
    here, thread = Here(asked.workspace), asked.maybe("thread")
    if thread is not None:
        return asking.reply(here, thread, asked.text("question"))
    return asking.ask(here, asked.text("question"))


ROWS: Final = (
    Verb(
        asking.ask,
        None,
        "Answer in words, with proof, or ask back.",
        title="Ask",
        routes=("GET /ask",),
        categories=("code", "atom", "report", "reconcile"),
        takes=both(needs(question=Text(1, asking.LONGEST)), may(thread=ID)),
        means={
            "question": "in English or German",
            "thread": "of a question that waits; question is then the word",
        },
        gives={"kind": "string", "verb": "string", "says": "array", "citations": "array", "choices": "array"},
        answer=ask,
    ),
    Verb(asking.reply, None, "Go on with a question that waits, by one word."),
)
