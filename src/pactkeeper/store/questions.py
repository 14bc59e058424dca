"""Questions of runs and their answers: an answer applies to the same question in every run."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import Connection, Row, func, select

from pactkeeper.errors import InputError
from pactkeeper.ledger.canonical import canonical_json
from pactkeeper.ledger.patch import encode_question, read_question
from pactkeeper.ledger.question import Answer, Question, Refusal
from pactkeeper.store.columns import row_of
from pactkeeper.store.history import History, insert, upsert
from pactkeeper.store.runs import number_of
from pactkeeper.store.tables.runs import ANSWERS, QUESTIONS, REFUSED_ANSWERS, RUNS

_q, _a, _r = QUESTIONS.c, ANSWERS.c, REFUSED_ANSWERS.c
# Nobody needs an answer to a question of a failed or cancelled run.
_WAITING = ("running", "paused", "completed")


def save_questions(history: History, run: str, questions: Iterable[Question]) -> None:
    """Store a run's questions; a repeated one is stored once, with its latest default and expiry.

    Raises InputError for an unknown run.
    """
    with history.database.begin() as connection:
        number = number_of(connection, history, run)
        asked = connection.execute(select(func.count()).where(_q.run == number)).scalar_one()
        rows = (_question_row(number, *one) for one in enumerate(questions, start=asked))
        upsert(connection, QUESTIONS, rows, key=("run", "id"), keep=("position",))


def open_questions(history: History, *, run: str | None = None) -> tuple[Question, ...]:
    """Return unanswered questions, each once in its latest form, ordered by run and position.

    Either those of one run, or of every run that has not failed or been cancelled.
    """
    answered = select(_a.question).where(_a.repository == history.repository)
    query = (
        select(_q.id, _q.text)
        .join(RUNS, RUNS.c.number == _q.run)
        .where(RUNS.c.repository == history.repository, _q.id.not_in(answered))
        .where(RUNS.c.status.in_(_WAITING) if run is None else RUNS.c.id == run)
        .order_by(RUNS.c.number, _q.position)
    )
    latest = {row.id: row.text for row in history.database.rows(query)}
    return tuple(read_question(json.loads(text)) for text in latest.values())


def save_answer(history: History, answer: Answer) -> None:
    """Store an answer; a later one to the same question supersedes it, and the earlier is kept.

    Raises InputError for a question that no run asked.
    """
    with history.database.begin() as connection:
        asked = select(_q.id).join(RUNS, RUNS.c.number == _q.run).where(_q.id == answer.question)
        if connection.execute(asked.where(RUNS.c.repository == history.repository).limit(1)).first() is None:
            raise InputError(f"no run asked the question {answer.question!r}; see what waits with: pk next")
        if _latest(connection, history, [answer.question]).get(answer.question) != answer:
            insert(connection, ANSWERS, [_row(history, answer)])


def answered_questions(history: History) -> tuple[tuple[Question, Answer], ...]:
    """Return every answered question in its latest form with its current answer, in the order of answering."""
    query = (
        select(_q.id, _q.text)
        .join(RUNS, RUNS.c.number == _q.run)
        .where(RUNS.c.repository == history.repository)
        .where(_q.id.in_(select(_a.question).where(_a.repository == history.repository)))
        .order_by(RUNS.c.number, _q.position)
    )
    with history.database.read() as connection:
        asked = {row.id: row.text for row in connection.execute(query)}
        latest = _latest(connection, history, select(_a.question).where(_a.repository == history.repository))
    pairs = [(read_question(json.loads(asked[name])), answer) for name, answer in latest.items() if name in asked]
    return tuple(pairs)


def save_refusal(history: History, refusal: Refusal) -> None:
    """Store a rejected answer with the reasons; idempotent."""
    with history.database.begin() as connection:
        if refusal not in _refusals(connection, history, refusal.answer.question):
            row = {**_row(history, refusal.answer), "reasons": list(refusal.reasons), "final": int(refusal.final)}
            insert(connection, REFUSED_ANSWERS, [row])


def refusals(history: History, question: str | None = None) -> tuple[Refusal, ...]:
    """Return rejected answers in order, for one question or all."""
    with history.database.read() as connection:
        return _refusals(connection, history, question)


def _refusals(connection: Connection, history: History, question: str | None) -> tuple[Refusal, ...]:
    query = select(REFUSED_ANSWERS).where(_r.repository == history.repository).order_by(_r.number)
    rows = connection.execute(query if question is None else query.where(_r.question == question))
    return tuple(Refusal(_answer(row), tuple(row.reasons), bool(row.final)) for row in rows)


def _latest(connection: Connection, history: History, asked: Any) -> Mapping[str, Answer]:  # noqa: ANN401 - ids or a query of them
    newest = (
        select(func.max(_a.number))
        .where(_a.repository == history.repository, _a.question.in_(asked))
        .group_by(_a.question)
    )
    rows = connection.execute(select(ANSWERS).where(_a.number.in_(newest)).order_by(_a.number))
    return {row.question: _answer(row) for row in rows}


def _question_row(run: int, position: int, question: Question) -> Mapping[str, Any]:
    text = canonical_json(encode_question(question)).decode()
    return row_of(QUESTIONS, question, run=run, position=position, text=text)


def _row(history: History, answer: Answer) -> Mapping[str, Any]:
    return history.row(ANSWERS, answer, answered_by=answer.by, answered_at=answer.at)


def _answer(row: Row[Any]) -> Answer:
    return Answer(row.question, row.value, row.answerer, row.answered_by, row.answered_at)
