"""The pages on which a person writes: answers to questions, questions of their own, words for tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from pactkeeper.authoring.words import Open
from pactkeeper.doors.web.page.cards import Row, rows_of
from pactkeeper.doors.web.page.desk import Desk, PageForm, onward, page, read_form
from pactkeeper.errors import InputError, RefusedError, StaleError, UsageError
from pactkeeper.intent.atoms import CATEGORIES
from pactkeeper.ledger.canonical import JsonValue, digest
from pactkeeper.ledger.question import KINDS, Question, answer_shape
from pactkeeper.ledger.shape import Choice, Keyed, Truth
from pactkeeper.operators.accept import give_words
from pactkeeper.operators.decide import TestSource, read_sources
from pactkeeper.operators.questions import Answered, TestWords, choose_answer, pending_questions, word_test
from pactkeeper.operators.words import wanting_words
from pactkeeper.published.ops import texts_of
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
    found = await desk.look(request, pending_questions)
    taken = request.query_params.get("taken", "")
    return page(request, "questions.html", SECTION, problem="", at="", typed=None, taken=taken, **_values(found))


def _values(found: tuple[Question, ...]) -> dict[str, Any]:
    asked = tuple(_asked(one) for one in found[:MOST])
    return {"asked": asked, "more": found[MOST:], "categories": CATEGORIES}


def _asked(one: Question) -> Asked:
    known = tuple(
        (name.replace("_", " "), _flat(value, words=name == "reasons"))
        for name, value in one.context.items()
        if name not in UNTOLD
    )
    lines = next((texts_of(one.context[name]) for name in LINES if name in one.context), ())
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


async def answer(desk: Desk, request: Request) -> Response:
    """Store a person's answer; a rejected one is shown with the reason, keeping what was typed."""
    form = await read_form(request)
    name = request.path_params["question"]
    try:
        taken = await desk.write(request, lambda workspace: _answered(workspace, name, form))
    except (InputError, RefusedError, UsageError) as error:
        found = await desk.look(request, pending_questions)
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


def _answered(workspace: Workspace, name: str, form: PageForm) -> Answered:
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


WORDS_SECTION: Final = "/words"
BATCH: Final = 25
CONFLICT: Final = 409


@dataclass(frozen=True, slots=True)
class WantedRow:
    """One test that needs a sentence; `seen` is a digest of what is shown with it, `typed` what was typed so far."""

    test: str
    why: str
    checks: tuple[str, ...]
    drafts: tuple[str, ...]
    path: str
    rows: tuple[Row, ...]
    cut: int
    seen: str
    typed: str = ""
    stale: bool = False


@dataclass(frozen=True, slots=True)
class Sheet:
    """The lines of one page, how many follow on later pages, and how many tests have words."""

    lines: tuple[WantedRow, ...]
    left: int
    settled: int


async def show_words(desk: Desk, request: Request) -> Response:
    """The tests that need words, in batches."""
    below = request.query_params.get("below", "")
    found = await desk.look(request, lambda workspace: sheet_of(workspace, below, {}, {}))
    return page(request, "words.html", WORDS_SECTION, sheet=found, below=below, problem="")


def sheet_of(workspace: Workspace, below: str, typed: Mapping[str, str], seen: Mapping[str, str]) -> Sheet:
    """The lines to fill in; a sentence typed for an outdated version of a test is kept and marked stale."""
    paths = workspace.relative([below], start=workspace.repository.root) if below else ()
    wanted = wanting_words(workspace, paths, limit=BATCH)
    sources = read_sources(workspace)
    lines = tuple(_line(row, sources.of(row.test), typed.get(row.test, ""), seen.get(row.test)) for row in wanted.rows)
    return Sheet(lines, wanted.left, wanted.settled)


def _line(row: Open, source: TestSource | None, typed: str, seen: str | None) -> WantedRow:
    shown = digest([row.test, list(row.checks), list(source.lines) if source else []])
    rows, cut = rows_of(source, {})
    path = source.path if source else row.test.partition("::")[0]
    stale = seen not in {None, shown}
    return WantedRow(row.test, row.why, row.checks, row.drafts, path, rows, cut, shown, typed, stale)


async def give(desk: Desk, request: Request) -> Response:
    """Create atoms from the typed sentences, all in one write; a stale one stops it, and nothing typed is lost."""
    form = await read_form(request)
    below = form.text("below")
    tests, sentences = form.texts("test"), [" ".join(one.split()) for one in form.texts("sentence")]
    if len(tests) != len(sentences) or len(tests) != len(form.texts("seen")):
        raise UsageError("the form does not say which sentence is for which test; reload the page")
    typed = {test: said for test, said in zip(tests, sentences, strict=True) if said}
    seen = {test: shown for test, shown in zip(tests, form.texts("seen"), strict=True) if test in typed}

    def work(workspace: Workspace) -> tuple[Sheet, str]:
        sheet = sheet_of(workspace, below, typed, seen)
        known = {one.test: one for one in sheet.lines}
        if not typed:
            return sheet, "No line was filled; nothing was written."
        if any(test not in known or known[test].stale for test in typed):
            gone = [test for test in typed if test not in known]
            more = f" These no longer need words: {', '.join(gone)}." if gone else ""
            return sheet, f"Nothing was written: tests changed since you read them. What you typed is kept.{more}"
        try:
            give_words(workspace, typed)
        except (UsageError, RefusedError, StaleError) as error:
            return sheet, str(error)
        return sheet, ""

    sheet, problem = await desk.write(request, work)
    if not problem:
        return onward(request, "/written?from=words")
    return page(request, "words.html", WORDS_SECTION, CONFLICT, sheet=sheet, below=below, problem=problem)
