"""Tools around questions: what rules could not settle, put to the agent that asks, and its answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pactkeeper.doors.mcp.calls.review import made_document
from pactkeeper.doors.mcp.tool import Call, Document
from pactkeeper.ledger.answering import Prompt
from pactkeeper.ledger.question import Question
from pactkeeper.ledger.shape import json_schema
from pactkeeper.operators.questions import answer_question as run_answer_question
from pactkeeper.operators.questions import asked
from pactkeeper.operators.questions import pending_questions as run_pending_questions
from pactkeeper.workspace import Workspace

PER_PAGE: Final = 5  # each comes with material of its own


def pending_questions(wanted: Call) -> Document:
    """List what rules could not settle."""
    return {"questions": list(run_pending_questions(wanted.workspace, run=wanted.maybe("run"), answerer="agent"))}


def put(workspace: Workspace, questions: Sequence[Question]) -> list[object]:
    """Questions as an agent is asked them: in the words and with the material that a model gets."""
    told: dict[str, Prompt] = {}
    rows: list[object] = []
    for one, prompt in zip(questions, asked(workspace, questions), strict=True):
        before = told.setdefault(one.kind, prompt)
        rows.append(_document(one, prompt, None if before is prompt else before))
    return rows


def _document(one: Question, prompt: Prompt, before: Prompt | None) -> dict[str, object]:
    """A question; instructions and schema that the first of its kind has already are left out."""
    facts: dict[str, object] = {"id": one.id, "kind": one.kind, "subject": one.subject}
    if before is None or before.instructions != prompt.instructions:
        facts["instructions"] = prompt.instructions
    if before is None or before.shape != prompt.shape:
        facts["answer_schema"] = json_schema(prompt.shape)
    return {**facts, "material": prompt.material}


def answer_question(given: Call) -> Document:
    """Answer a question."""
    taken = run_answer_question(given.workspace, given.text("question"), given.given["answer"], answerer="agent")
    made = {} if taken.made is None else {"made": made_document(taken.made)}
    return {"question": taken.answer.question, "by": taken.answer.by, **made}
