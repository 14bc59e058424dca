"""The page of open questions: what rules could not settle, and answers that fit in a form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from pactkeeper.doors.web.page.desk import Desk, Form, onward, page, read_form
from pactkeeper.errors import InputError, RefusedError, UsageError
from pactkeeper.intent.atoms import CATEGORIES
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.question import KINDS, Question, answer_shape
from pactkeeper.ledger.shape import Choice, Keyed, Truth
from pactkeeper.operators.questions import Answered, TestWords, choose_answer, pending_questions, word_test
from pactkeeper.reconcile.backlog import answer_command
from pactkeeper.workspace import Workspace

SECTION: Final = "/questions"
MOST: Final = 50
UNPROCESSABLE: Final = 422
WORDED: Final = frozenset({"word_test", "better_words"})
LINES: Final = frozenset({"source", "texts"})  # parts of a context that are lines of source
UNTOLD: Final = LINES | {"confidence", "file", "line", "name"}  # already in the subject, or not needed


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with what is known, and how to answer it: by one of `choices`, in words, or by a command."""

    question: Question
    prompt: str
    known: tuple[tuple[str, str], ...]
    lines: tuple[str, ...]
    choices: tuple[str, ...]
    worded: bool
    command: str


async def show(desk: Desk, request: Request) -> Response:
    """The unanswered questions."""
    found = await desk.look(request, _open)
    taken = request.query_params.get("taken", "")
    return page(request, "questions.html", SECTION, problem="", at="", typed=None, taken=taken, **_values(found))


def _open(workspace: Workspace) -> tuple[Question, ...]:
    return pending_questions(workspace)


def _values(found: tuple[Question, ...]) -> dict[str, Any]:
    asked = tuple(_asked(one) for one in found[:MOST])
    return {"asked": asked, "more": found[MOST:], "categories": CATEGORIES}


def _asked(one: Question) -> Asked:
    known = tuple(
        (name.replace("_", " "), _flat(value, words=name == "reasons"))
        for name, value in one.context.items()
        if name not in UNTOLD
    )
    lines = next((_texts(one.context[name]) for name in LINES if name in one.context), ())
    return Asked(one, KINDS[one.kind].prompt, known, lines, _choices(one), one.kind in WORDED, answer_command(one))


def _choices(one: Question) -> tuple[str, ...]:
    """The one-word answers; none if it takes more than a word."""
    if one.options and one.kind == "choose":
        return one.options
    match answer_shape(one):
        case Truth():
            return ("yes", "no")
        case Keyed(required) if one.kind in {"realises", "contradiction"}:
            verdict = required["verdict"]
            return verdict.options if isinstance(verdict, Choice) else ()
        case _:
            return ()


def _flat(value: JsonValue, *, words: bool) -> str:
    said = "; ".join(str(one) for one in value) if isinstance(value, list) else str(value)
    return said.replace("_", " ") if words else said


def _texts(value: JsonValue) -> tuple[str, ...]:
    return tuple(str(one) for one in value) if isinstance(value, list) else ()


async def answer(desk: Desk, request: Request) -> Response:
    """Store a person's answer; a rejected one is shown with the reason, keeping what was typed."""
    form = await read_form(request)
    name = request.path_params["question"]
    try:
        taken = await desk.write(request, lambda workspace: _answered(workspace, name, form))
    except (InputError, RefusedError, UsageError) as error:
        found = await desk.look(request, _open)
        typed = {key: form.text(key) for key in ("intent", "outcomes", "category")}
        values = _values(found)
        return page(
            request,
            "questions.html",
            SECTION,
            UNPROCESSABLE,
            problem=str(error),
            at=name,
            typed=typed,
            taken="",
            **values,
        )
    proposed = taken.made is not None and bool(taken.made.patch.ops)
    return onward(request, f"/questions?taken={'review' if proposed else 'runs'}")


def _answered(workspace: Workspace, name: str, form: Form) -> Answered:
    if form.text("word"):
        return choose_answer(workspace, name, form.text("word"))
    intent = " ".join(form.text("intent").split())
    words = TestWords(intent, form.text("category") or "functional", form.lines("outcomes"))
    return word_test(workspace, name, words)


ASK_SECTION: Final = "/ask"


async def show_answer(desk: Desk, request: Request) -> Response:
    """The question in the URL and its answer; the URL can be shared."""
    asked = request.query_params
    question, thread, word = (asked.get(name, "") for name in ("question", "thread", "word"))

    def work(workspace: Workspace) -> dict[str, Any]:
        from pactkeeper.chat.asking import ask, reply  # noqa: PLC0415 - graphs load slowly, and no other page asks
        from pactkeeper.chat.here import Here  # noqa: PLC0415 - likewise

        workspace.ensure_settled()
        here = Here(workspace)
        return reply(here, thread, word) if thread and word else ask(here, question)

    found = await desk.look(request, work) if question or (thread and word) else None
    return page(request, "ask.html", ASK_SECTION, found=found, question=question)
