"""Tools around questions: what rules could not settle, put to the agent that asks, and its answers."""

from __future__ import annotations

from pactkeeper.doors.mcp.calls.review import made_document
from pactkeeper.doors.mcp.tool import Call, Document
from pactkeeper.ledger.question import KINDS, Question, answer_shape
from pactkeeper.ledger.shape import json_schema
from pactkeeper.operators import call
from pactkeeper.operators.questions import Answered


def pending_questions(asked: Call) -> Document:
    """List what rules could not settle."""
    found: tuple[Question, ...] = call("pending_questions", asked.workspace, run=asked.maybe("run"))
    return {"questions": [_asked(one) for one in found]}


def _asked(one: Question) -> dict[str, object]:
    return {
        "id": one.id,
        "kind": one.kind,
        "subject": one.subject,
        "asks": KINDS[one.kind].prompt,
        "context": dict(one.context),
        "answer_schema": json_schema(answer_shape(one)),
    }


def answer_question(asked: Call) -> Document:
    """Answer a question."""
    taken: Answered = call(
        "answer_question", asked.workspace, asked.text("question"), asked.given["answer"], answerer="agent"
    )
    made = {} if taken.made is None else made_document(taken.made)
    return {"question": taken.answer.question, "by": taken.answer.by, "run": made.get("run"), "made": made}
