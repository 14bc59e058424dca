"""Verbs about questions: what rules could not settle, and the answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pactkeeper.errors import InputError, RefusedError, UsageError
from pactkeeper.intent.answers import objections
from pactkeeper.ledger.answering import Prompt
from pactkeeper.ledger.canonical import JsonValue, Run
from pactkeeper.ledger.patch import Patch
from pactkeeper.ledger.question import KINDS, Answer, Answerer, Question, Refusal, left_to_people, observe
from pactkeeper.operators.documents import documents
from pactkeeper.operators.driving import drive_of, propose_answer, running, steps_of
from pactkeeper.operators.reconcile import Reconciled, reconciled
from pactkeeper.prompts import BUDGET, SMALLEST
from pactkeeper.reconcile.answering import ABOUT_TESTS
from pactkeeper.reconcile.asking import Shown, grounds_of, problems, prompts_for, quotable, undecided
from pactkeeper.reconcile.select import TO_CONFIRM, WITHOUT_INTENT
from pactkeeper.reconcile.worth import LEAST_OF_A_MODEL
from pactkeeper.repo.context import Sources
from pactkeeper.store.history import History
from pactkeeper.store.lease import Held
from pactkeeper.store.questions import open_questions, refusals, save_answer, save_refusal
from pactkeeper.store.runs import list_runs
from pactkeeper.workspace import Workspace


@dataclass(frozen=True, slots=True)
class TestWords:
    """What somebody says a test is for; without outcomes, the intent itself is the outcome."""

    __test__ = False

    intent: str
    category: str = "functional"
    outcomes: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answered:
    """The accepted answer, and what the asking run made of it; None if that run has already ended.

    `notes` are the rules' objections to a person's words, which are accepted all the same. `patch` is what an answer
    about an atom proposes; it awaits review.
    """

    answer: Answer
    made: Reconciled | None
    notes: tuple[str, ...] = ()
    patch: Patch | None = None


@dataclass(frozen=True, slots=True)
class Batch:
    """The questions whose answers were accepted, and why the other answers were not."""

    taken: tuple[str, ...]
    refused: Mapping[str, str]


def pending_questions(
    workspace: Workspace,
    *,
    run: str | None = None,
    kind: str | None = None,
    limit: int | None = None,
    answerer: Answerer = "person",
) -> tuple[Question, ...]:
    """Return the open questions, in the order of asking; optionally of one kind, and at most `limit`.

    A question about a test is settled without an answer once the test lacks nothing, or is gone. Questions left to
    people are not returned to an agent or a model. Raises UsageError for an unknown kind.
    """
    if kind is not None and kind not in KINDS:
        raise UsageError(f"{kind!r} is not a kind of question; known are {', '.join(KINDS)}")
    if not workspace.has_history:
        return ()
    history = workspace.history()
    left = frozenset[str]() if answerer == "person" else left_to_people(refusals(history), answerer=answerer)
    found = [one for one in open_questions(history, run=run) if kind in {None, one.kind} and one.id not in left]
    return tuple(_unsettled(workspace, found))[:limit]


def _unsettled(workspace: Workspace, questions: Sequence[Question]) -> Iterator[Question]:
    about_tests = {one.id for one in questions if one.kind in ABOUT_TESTS and "::" in one.subject}
    linked = workspace.world(workspace.snapshot()).linked if about_tests else ()
    wanting = {entry.test.id for entry in linked if entry.state in WITHOUT_INTENT | TO_CONFIRM}
    return (one for one in questions if one.id not in about_tests or one.subject in wanting)


def asked(workspace: Workspace, questions: Sequence[Question], *, budget: int = BUDGET) -> tuple[Prompt, ...]:
    """Render the questions for a model or an agent, in order, each with material of `budget` characters.

    Raises UsageError if the budget is too small for anything.
    """
    if budget < SMALLEST:
        raise UsageError(f"a question cannot be shown in {budget!r} characters; give at least {SMALLEST}")
    if not questions:
        return ()
    snapshot = workspace.snapshot()
    world = workspace.world(snapshot)
    files = frozenset(world.scan.by_file)
    structure = workspace.structure(snapshot, world.pact)
    with documents(workspace, snapshot) as (searched, outlines):
        sources = Sources(outlines, files, searched, structure)
        return prompts_for(questions, snapshot, world, sources=sources, budget=budget)


def answer_question(
    workspace: Workspace, name: str, value: JsonValue, *, answerer: Answerer = "person", by: str = ""
) -> Answered:
    """Answer a question, named by id or subject; a waiting run that asked it continues immediately.

    `by` is who answers (empty: the person git names). Raises InputError listing everything wrong with the answer; an
    agent's or model's answer is also checked against the rules for wording, may be corrected once, and then the
    question is left to people: RefusedError.
    """
    question = named_question(workspace, name)
    at = workspace.now().isoformat(timespec="milliseconds")
    answer = Answer(question.id, value, answerer, by or workspace.person(), at)
    with running(workspace) as held:
        snapshot = workspace.snapshot()
        world = workspace.world(snapshot)
        notes = _judged(workspace, question, answer, Shown(snapshot, world))
        history = workspace.history()
        waiting = next((run for run in list_runs(history) if _asks(workspace, run, question)), None)
        save_answer(history, answer)
        made = None if waiting is None else _go_on(workspace, held, waiting)
        return Answered(answer, made, notes, propose_answer(workspace, question, answer, world))


def answer_questions(workspace: Workspace, answers: Mapping[str, JsonValue], *, answerer: Answerer) -> Batch:
    """Answer several questions, each checked as in `answer_question`; a refused answer does not affect the others."""
    taken: list[str] = []
    refused: dict[str, str] = {}
    for name, value in answers.items():
        try:
            taken.append(answer_question(workspace, name, value, answerer=answerer).answer.question)
        except (InputError, RefusedError, UsageError) as error:
            refused[name] = error.message
    return Batch(tuple(taken), refused)


def _judged(workspace: Workspace, question: Question, answer: Answer, shown: Shown) -> tuple[str, ...]:
    """Return the rules' objections; raises if they, the shape or a quote keep the answer from being accepted."""
    grounds = grounds_of(question, shown.snapshot.read, shown.world)
    if grounds is None:
        place = question.context.get("file", question.subject)
        raise UsageError(f"what {question.id} asks about is gone: {place!r} cannot be read; reconcile again")
    if answer.answerer == "person":
        observe(answer, question, source=grounds.source.text)
        return tuple(one for one in objections(question, answer.value, grounds) if "confidence" not in one)
    wrong = problems(question, answer, grounds)
    _refuse(workspace.history(), question, answer, wrong, least=LEAST_OF_A_MODEL)
    return ()


def _refuse(history: History, question: Question, answer: Answer, wrong: tuple[str, ...], *, least: int) -> None:
    """Store a refused answer and raise what is wrong with it; an answerer's second refusal is final."""
    before = [one for one in refusals(history, question.id) if one.answer.answerer == answer.answerer]
    if any(one.final for one in before):
        raise RefusedError(f"{question.id} is left to people: two answers to it were refused; see: pk questions")
    unsure = "" if wrong else undecided(answer.value, least=least)
    reasons = wrong or ((unsure,) if unsure else ())
    if reasons:
        final = bool(before or unsure)
        save_refusal(history, Refusal(answer, reasons, final))
        ending = "the question is left to people" if final else "answer once more"
        raise InputError(f"the answer to {question.id} is not taken: {'; '.join(reasons)}; {ending}")


def choose_answer(workspace: Workspace, name: str, word: str, quotes: Sequence[str] = ()) -> Answered:
    """Answer with one word, as a person: yes, no, unsure, a verdict, or one of the options.

    Raises UsageError if the question needs more than one word.
    """
    question = named_question(workspace, name)
    if question.kind == "confirm" and word in {"yes", "no"}:
        return answer_question(workspace, question.id, word == "yes")
    if question.kind == "choose":
        return answer_question(workspace, question.id, word)
    if question.kind not in {"realises", "contradiction"}:
        raise UsageError(
            f"{question.id} asks to {question.kind}, which takes more than {word!r}; see: pk questions show"
        )
    shown = quotes or (_shown(workspace, question) if "file" in question.context else ())
    return answer_question(workspace, question.id, {"verdict": word, "quotes": list(shown)})


def word_test(workspace: Workspace, name: str, words: TestWords) -> Answered:
    """Say what a test is for; if no line is quoted, the lines shown with the question are."""
    question = named_question(workspace, name)
    if question.kind not in {"word_test", "better_words"}:
        raise UsageError(f"{question.id} does not ask for words, it asks to {question.kind}; see: pk questions show")
    value: dict[str, JsonValue] = {
        "intent": words.intent,
        "outcomes": list(words.outcomes or (words.intent,)),
        "quotes": list(words.quotes or _shown(workspace, question)),
    }
    if question.kind == "word_test":
        value["category"] = words.category
    return answer_question(workspace, question.id, value)


def named_question(workspace: Workspace, name: str) -> Question:
    """Return the newest open question with this id or subject; raises UsageError if there is none."""
    found = [one for one in pending_questions(workspace) if name in {one.id, one.subject}]
    if not found:
        raise UsageError(f"no question {name!r} is open; see: pk questions")
    return found[-1]


def _go_on(workspace: Workspace, held: Held, run: Run) -> Reconciled:
    steps = steps_of(workspace, held, run)
    drive_of(workspace).go(steps, {"answers": 1})
    return reconciled(steps)


def _asks(workspace: Workspace, run: Run, question: Question) -> bool:
    return run.status == "paused" and question in open_questions(workspace.history(), run=run.id)


def _shown(workspace: Workspace, question: Question) -> tuple[str, ...]:
    """Return the lines shown with a question; the test's first line if it asserts nothing."""
    shown = question.context.get("source", question.context.get("texts"))
    if isinstance(shown, list) and shown:
        return tuple(str(one) for one in shown)
    line = question.context.get("line")
    lines = (quotable(question, workspace.snapshot().read) or "").splitlines()
    number = line if isinstance(line, int) else 0
    return tuple(one.strip() for one in lines[number - 1 : number] if one.strip())
