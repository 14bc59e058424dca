"""The verbs around questions: what rules could not settle, and what somebody answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pactkeeper.errors import UsageError
from pactkeeper.ledger.answering import Prompt
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.question import KINDS, Answer, Answerer, Question, observe
from pactkeeper.ledger.run import Run
from pactkeeper.operators.documents import documents
from pactkeeper.operators.driving import drive_of, running, steps_of
from pactkeeper.operators.reconcile import Reconciled, reconciled
from pactkeeper.prompts.fencing import BUDGET, SMALLEST
from pactkeeper.reconcile.material import prompts_for, quotable
from pactkeeper.repo.context import Sources
from pactkeeper.store.lease import Held
from pactkeeper.store.questions import open_questions, save_answer
from pactkeeper.store.runs import list_runs
from pactkeeper.workspace import Workspace


@dataclass(frozen=True, slots=True)
class TestWords:
    """What somebody says a test is for; without outcomes the intent itself is the outcome."""

    __test__ = False

    intent: str
    category: str = "functional"
    outcomes: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer that was taken, and what the run that asked made of it; None where that run has ended already."""

    answer: Answer
    made: Reconciled | None


def pending_questions(
    workspace: Workspace, *, run: str | None = None, kind: str | None = None, limit: int | None = None
) -> tuple[Question, ...]:
    """The questions that nobody has answered, in the order of asking; of one kind, and at most `limit`.

    Raises UsageError for a kind that there is not.
    """
    if kind is not None and kind not in KINDS:
        raise UsageError(f"{kind!r} is no kind of question; known are {', '.join(KINDS)}")
    found = open_questions(workspace.history(), run=run) if workspace.has_history else ()
    return tuple(one for one in found if kind in {None, one.kind})[:limit]


def asked(workspace: Workspace, questions: Sequence[Question], *, budget: int = BUDGET) -> tuple[Prompt, ...]:
    """The questions as they are put to a model or an agent, in their order, each with material of `budget` characters.

    Raises UsageError where the budget cannot hold anything.
    """
    if budget < SMALLEST:
        raise UsageError(f"a question cannot be shown in {budget!r} characters; give at least {SMALLEST}")
    if not questions:
        return ()
    snapshot = workspace.snapshot()
    world = workspace.world(snapshot)
    files = frozenset(test.file for test in world.scan.tests)
    structure = workspace.structure(snapshot, world.pact)
    with documents(workspace, snapshot) as (searched, outlines):
        sources = Sources(outlines, files, searched, structure)
        return prompts_for(questions, snapshot, world, sources=sources, budget=budget)


def answer_question(workspace: Workspace, name: str, value: JsonValue, *, answerer: Answerer = "person") -> Answered:
    """Answer the question of that id or about that subject; the run that asked goes on at once where it waits.

    Raises InputError naming everything that is wrong with the answer: its shape, or a quote that is not in the source.
    """
    question = _named(pending_questions(workspace), name)
    at = workspace.now().isoformat(timespec="milliseconds")
    answer = Answer(question.id, value, answerer, workspace.person(), at)
    observe(answer, question, source=_source(workspace, question))
    with running(workspace) as held:
        history = workspace.history()
        waiting = next((run for run in list_runs(history) if _asks(workspace, run, question)), None)
        save_answer(history, answer)
        return Answered(answer, None if waiting is None else _go_on(workspace, held, waiting))


def word_test(workspace: Workspace, name: str, words: TestWords) -> Answered:
    """Answer what a test is for; where no line is quoted, the lines that were shown with the question are."""
    question = _named(pending_questions(workspace), name)
    if question.kind != "word_test":
        raise UsageError(f"{question.id} does not ask what a test is for, it asks to {question.kind}")
    value: dict[str, JsonValue] = {
        "intent": words.intent,
        "category": words.category,
        "outcomes": list(words.outcomes or (words.intent,)),
        "quotes": list(words.quotes or _shown(workspace, question)),
    }
    return answer_question(workspace, question.id, value)


def _go_on(workspace: Workspace, held: Held, run: Run) -> Reconciled:
    steps = steps_of(workspace, held, run)
    drive_of(workspace).go(steps, {"answers": 1})
    return reconciled(steps)


def _asks(workspace: Workspace, run: Run, question: Question) -> bool:
    return run.status == "paused" and question in open_questions(workspace.history(), run=run.id)


def _named(questions: Sequence[Question], name: str) -> Question:
    found = [one for one in questions if name in {one.id, one.subject}]
    if not found:
        raise UsageError(f"no question {name!r} is open; see: pk questions")
    return found[-1]


def _shown(workspace: Workspace, question: Question) -> tuple[str, ...]:
    """The lines that were shown with a question; the test's first line where it asserts nothing."""
    shown = question.context.get("source")
    if isinstance(shown, list) and shown:
        return tuple(str(one) for one in shown)
    line = question.context.get("line")
    lines = _source(workspace, question).splitlines()
    number = line if isinstance(line, int) else 0
    return tuple(one.strip() for one in lines[number - 1 : number] if one.strip())


def _source(workspace: Workspace, question: Question) -> str:
    """The text that an answer may quote from."""
    text = quotable(question, workspace.snapshot().read)
    if text is None:
        place = question.context.get("file", question.subject)
        raise UsageError(f"what {question.id} asks about is gone: {place!r} cannot be read; reconcile again")
    return text
