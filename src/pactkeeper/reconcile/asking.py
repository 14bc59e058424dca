"""A run's questions to a model: each asked once, each answer judged and stored as it arrives, and all of it counted.

Decides whether an answer is accepted: its shape, quotes and wording, and whether it is confident enough to act on. Also
assembles what accompanies a question: the source of its tests, their context, and the text that may be quoted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from pactkeeper.errors import ModelUnavailable
from pactkeeper.intent.answers import Grounds, NamedSource, objections
from pactkeeper.intent.answers.names import invented
from pactkeeper.intent.atoms import Atom
from pactkeeper.intent.context import TestContext, lines_of
from pactkeeper.intent.links import LinkedTest
from pactkeeper.intent.quality.values import QualityVocabulary
from pactkeeper.intent.records import TestRecord
from pactkeeper.intent.tests import Test, file_of
from pactkeeper.intent.wording.outcomes import is_read
from pactkeeper.intent.wording.tokens import tokens
from pactkeeper.ledger.answering import Asker, Budget, Exceeded, Prompt, Reply, Resource
from pactkeeper.ledger.canonical import JsonValue, Run
from pactkeeper.ledger.op import Op
from pactkeeper.ledger.question import Answer, Question, Refusal, left_to_people, wrong_with
from pactkeeper.prompts import BUDGET, PromptSection, render
from pactkeeper.reconcile.answering import answered_tests, question_about, subjects_of
from pactkeeper.reconcile.world import World
from pactkeeper.reconcile.worth import DOUBTED, LEAST_OF_A_MODEL, Inferred, mechanical
from pactkeeper.repo.context import Sources, contexts
from pactkeeper.repo.snapshot import Snapshot
from pactkeeper.store.history import History
from pactkeeper.store.questions import (
    answered_questions,
    open_questions,
    refusals,
    save_answer,
    save_questions,
    save_refusal,
)
from pactkeeper.store.runs import previous_records

MOST_ASKED: Final = 200  # questions per step
COUNTED: Final = ("asked", "answered", "refused", "failed", "over_budget")
_SPENT: Final[Mapping[str, Resource]] = {"model_calls": "model_calls", "tokens": "tokens", "money": "money"}


@dataclass(frozen=True, slots=True)
class Shown:
    """What questions are shown with: one snapshot with its world, and the sources of contexts, if any."""

    snapshot: Snapshot
    world: World
    sources: Sources | None = None


def known_tests(history: History, asker: Asker | None) -> Mapping[str, TestRecord]:
    """Return what earlier runs recorded about tests, except those that answers or this asker may add to."""
    again = answered_tests(answered_questions(history))
    if asker is not None:
        done = left_to_people(refusals(history), answerer="model", by=asker.name)
        again |= subjects_of(one for one in open_questions(history) if one.id not in done)
    found = previous_records(history)
    return {name: row for name, row in found.items() if row.outcome == "proposed" or name not in again}


@dataclass(slots=True)
class Interview:
    """One run's questions to an asker; `counts` cover the whole run, across every process that ran it.

    `tell` is called with the counts after every reply, `notice` with messages for people.
    """

    asker: Asker
    budget: Budget
    history: History
    run: str
    now: Callable[[], str]
    tell: Callable[[Counter[str]], None]
    notice: Callable[[str], None]
    counts: Counter[str] = field(default_factory=Counter)

    @staticmethod
    def counted(run: Run, budget: Budget) -> tuple[Counter[str], Budget]:
        """Return the counts of an interrupted run, and the budget less what it spent."""
        counts = Counter({key: run.summary.get(key, 0) for key in (*COUNTED, *_SPENT)})
        spent: dict[Resource, int] = {resource: counts[key] for key, resource in _SPENT.items() if counts[key]}
        return counts, budget if budget.spent else replace(budget, spent=spent)

    async def ask(self, questions: Sequence[Question], shown: Shown) -> Mapping[str, int]:
        """Ask whatever is unanswered and for which the asker has not been refused; the rest is left to people."""
        before = Counter(self.counts)
        unasked = self._unasked(questions)
        wanted = unasked[:MOST_ASKED]
        if len(unasked) > MOST_ASKED:
            self.notice(
                f"{self.run}: {len(unasked) - MOST_ASKED} questions wait for the next run; {MOST_ASKED} are asked"
            )
        if wanted:
            await self._put(wanted, shown)
        return {key: self.counts[key] - before[key] for key in COUNTED}

    def unasked(self, questions: Sequence[Question]) -> int:
        """Return how many of these would be asked: neither answered nor refused, and within budget."""
        return 0 if self.counts["over_budget"] else len(self._unasked(questions))

    def _unasked(self, questions: Sequence[Question]) -> list[Question]:
        answered = {question.id for question, _ in answered_questions(self.history)}
        done = answered | left_to_people(refusals(self.history), answerer="model", by=self.asker.name)
        unique = {question.id: question for question in questions}
        return [one for name, one in unique.items() if name not in done]

    async def _put(self, questions: Sequence[Question], shown: Shown) -> None:
        by_id = {one.id: one for one in questions}
        prompts = prompts_for(questions, shown.snapshot, shown.world, sources=shown.sources)

        def check(prompt: Prompt, value: JsonValue) -> tuple[str, ...]:
            return self._problems(by_id[prompt.question], value, shown)

        def keep(reply: Reply) -> None:
            self._keep(by_id[reply.prompt.question], reply, shown)

        try:
            after = await self.asker.ask(prompts, check=check, keep=keep, budget=self.budget)
        except ModelUnavailable as reason:
            self.notice(f"{reason}; the remaining questions are left to people: pk questions")
            return
        if isinstance(after, Exceeded):
            self.notice(f"{self.run}: {after}: pk questions")
        self.budget = after.budget if isinstance(after, Exceeded) else after

    def _problems(self, question: Question, value: JsonValue, shown: Shown) -> tuple[str, ...]:
        grounds = grounds_of(question, shown.snapshot.read, shown.world)
        if grounds is None:
            return ("the source cannot be read any more",)
        return problems(question, self._answer(question, value, self.asker.name), grounds)

    def _keep(self, question: Question, reply: Reply, shown: Shown) -> None:
        """Store the outcome of one question; only our own judgement decides whether a reply is accepted."""
        self._count(reply)
        answer = self._answer(question, reply.value, self.asker.name)
        if reply.state == "over budget":
            self.counts["over_budget"] += 1
        elif reply.state == "failed":
            self.counts["failed"] += 1
        elif reasons := self._reasons(question, reply, shown):
            self.counts["refused"] += 1
            save_refusal(self.history, Refusal(answer, reasons, final=True))
        else:
            self.counts["answered"] += 1
            save_questions(self.history, self.run, [question])
            save_answer(self.history, answer)
        self.tell(self.counts)

    def _reasons(self, question: Question, reply: Reply, shown: Shown) -> tuple[str, ...]:
        """Return why a reply is rejected; empty if it is accepted."""
        if reply.state != "answered":
            return reply.reasons or (f"the answer was {reply.state}",)
        wrong = self._problems(question, reply.value, shown)
        if wrong:
            return wrong
        left = undecided(reply.value, least=LEAST_OF_A_MODEL)
        return (left,) if left else ()

    def _count(self, reply: Reply) -> None:
        if reply.state != "over budget":
            self.counts["asked"] += 1
        usage = reply.usage
        self.counts["model_calls"] += usage.calls
        self.counts["tokens"] += usage.input_tokens + usage.output_tokens
        self.counts["money"] += usage.money or 0

    def _answer(self, question: Question, value: JsonValue, by: str) -> Answer:
        return Answer(question.id, value, "model", by, self.now())


def grounds_of(question: Question, read: Read, world: World) -> Grounds | None:
    """Return what an answer is checked against; None if the source it must quote can no longer be read."""
    text = quotable(question, read)
    if text is None:
        return None
    tests = [world.by_id[name].test for name in tests_of(question) if name in world.by_id]
    files = {test.file: (read(test.file) or b"").decode("utf-8", "replace") for test in tests}
    bodies = (body_of(test, files[test.file]) for test in tests)
    saw = question.context.get("reasons")
    named = tuple(str(one) for one in saw) if isinstance(saw, list) else ()
    said = question.context.get("texts")
    texts = [str(one) for one in said] if isinstance(said, list) else []
    near = [*(_near(tests, file, each, world) for file, each in files.items()), *texts]
    source = NamedSource(text, "\n".join([*bodies, *texts]), "\n".join(near))
    return Grounds(source, QualityVocabulary.of(world.pact.settings), named)


def _near(tests: Sequence[Test], file: str, text: str, world: World) -> str:
    """Return a file without its other tests: what they contain says nothing about these."""
    lines = text.splitlines()
    for other in world.scan.tests:
        if other.file != file or other in tests:
            continue
        if not any(other.line <= one.line and one.end_line <= other.end_line for one in tests):
            lines[other.line - 1 : other.end_line] = [""] * (other.end_line - other.line + 1)
    return "\n".join(lines)


def problems(question: Question, answer: Answer, grounds: Grounds) -> tuple[str, ...]:
    """Return every reason to reject an answer from a model or an agent."""
    return wrong_with(answer, question, source=grounds.source.text) or objections(question, answer.value, grounds)


def undecided(value: JsonValue, *, least: int) -> str:
    """Return why a valid answer from a model or an agent doesn't settle the question; empty if it does.

    `least` is the confidence, 0 to 100, from which rules would act.
    """
    if not isinstance(value, Mapping):
        return ""
    if value.get("verdict") == "unsure":
        return "it could not be told from the text"
    confidence = value.get("confidence")
    if isinstance(confidence, int) and confidence < least:
        return f"its confidence of {confidence} is below this pact's minimum of {least}"
    return ""


MOST_TESTS: Final = 8  # tests whose source is shown with one question
SOURCE_MOST: Final = 5_000  # characters per test
CONTEXT_MOST: Final = 3_500

Read = Callable[[str], bytes | None]


def prompts_for(
    questions: Sequence[Question],
    snapshot: Snapshot,
    world: World,
    *,
    sources: Sources | None = None,
    budget: int = BUDGET,
) -> tuple[Prompt, ...]:
    """Render questions as prompts, in order; without `sources`, no code or documents accompany the tests.

    A missing test is left out: the question is then shown with its own context only.
    """
    wanted = {name: world.by_id[name].test for one in questions for name in tests_of(one) if name in world.by_id}
    around = _contexts(questions, wanted, sources)
    paths = {test.file for test in wanted.values()}
    texts = {path: _text(snapshot.read, path) for path in paths}
    return tuple(render(one, _sections(one, wanted, texts, around), budget=budget) for one in questions)


def tests_of(question: Question) -> tuple[str, ...]:
    """Return the ids of the tests that a question is about, its subject first if that is one."""
    named = question.context.get("tests")
    listed = [str(one) for one in named] if isinstance(named, list) else []
    own = [question.subject] if "file" in question.context else []
    return tuple(dict.fromkeys((*own, *listed)))[:MOST_TESTS]


def quotable(question: Question, read: Read) -> str | None:
    """Return the text an answer may quote: its tests' files and the question's own sentences; None if unreadable."""
    path = question.context.get("file")
    names = [path] if isinstance(path, str) else list(dict.fromkeys(file_of(one) for one in tests_of(question)))
    said = question.context.get("texts")
    found = [_text(read, name) for name in names]
    if not found and not isinstance(said, list):
        return None
    texts = [str(one) for one in said] if isinstance(said, list) else []
    return None if None in found else "\n".join([*(one for one in found if one is not None), *texts])


def body_of(test: Test, source: str) -> str:
    """Return the lines of a test."""
    return "\n".join(source.splitlines()[test.line - 1 : test.end_line])


def _contexts(
    questions: Sequence[Question], tests: Mapping[str, Test], sources: Sources | None
) -> Mapping[str, TestContext]:
    """Return the contexts of tests that are subjects themselves; for others their source is enough."""
    subjects = [tests[one.subject] for one in questions if one.subject in tests]
    unique = list({test.id: test for test in subjects}.values())
    if sources is None or not unique:
        return {}
    return {one.test: one for one in contexts(sources, unique)}


def _sections(
    question: Question, tests: Mapping[str, Test], texts: Mapping[str, str | None], around: Mapping[str, TestContext]
) -> tuple[PromptSection, ...]:
    found: list[PromptSection] = []
    for name in tests_of(question):
        test = tests.get(name)
        source = None if test is None else texts[test.file]
        if test is not None and source is not None:
            found.append(
                PromptSection(f"The source of a test, from line {test.line}", body_of(test, source), SOURCE_MOST)
            )
    context = around.get(question.subject)
    if context is not None and (lines := lines_of(context)):
        found.append(PromptSection("What belongs to the test", "\n".join(lines), CONTEXT_MOST))
    return tuple(found)


def _text(read: Read, path: str) -> str | None:
    data = read(path)
    return None if data is None else data.decode("utf-8", "replace")


_VALUES: Final = frozenset({"number", "quoted"})


def contradicted(
    ops: Iterable[Op], inferred: Mapping[str, Inferred], read: Callable[[str], bytes | None], world: World
) -> Iterator[tuple[Op, tuple[str, ...]]]:
    """Yield each op that links a test to another atom of the pact whose values the test doesn't hold, with these.

    Values that the replaced atom gives too are no doubt: the test was reviewed with them. Neither are those of an atom
    whose vanished test it takes the place of: it proves what was reviewed with them.
    """
    for op in ops:
        one, atom = inferred.get(op.group), world.pact.atoms.get(str(op.payload.get("atomId")))
        if op.verb != "attachTestToAtom" or one is None or atom is None or atom.id in _reviewed_with(one.entry, world):
            continue
        before = [*map(world.pact.atoms.get, one.entry.atoms())]
        reviewed = "\n".join(_said(each) for each in before if each is not None)
        grounds = grounds_of(question_about(one), read, world)
        if grounds is None:
            continue
        near = f"{grounds.source.near or grounds.source.text}\n{reviewed}"
        values = [each for each in tokens(_said(atom)) if each.kind in _VALUES]
        doubts = tuple(dict.fromkeys(invented(values, replace(grounds.source, near=near))))
        if doubts:
            yield op, doubts


def _reviewed_with(entry: LinkedTest, world: World) -> set[str]:
    """Return the atoms that a test is linked to, and those of the vanished tests that it takes the place of."""
    gone = [world.pact.links[name] for name in (entry.instead_of, *entry.also) if name]
    return {*entry.atoms(), *(atom for record in gone for atom in record.named)}


def with_doubts(
    ops: Iterable[Op], inferred: Mapping[str, Inferred], read: Callable[[str], bytes | None], world: World
) -> tuple[Op, ...]:
    """Return the ops, each contradicted link with its doubts as evidence and too unsure to be accepted unread."""
    every = tuple(ops)
    found = {op.id: doubts for op, doubts in contradicted(every, inferred, read, world)}
    return tuple(_doubted(op, inferred[op.group], found[op.id]) if op.id in found else op for op in every)


def _doubted(op: Op, one: Inferred, doubts: Iterable[str]) -> Op:
    notes = (mechanical(one, f"the atom's words don't fit this test: {doubt}") for doubt in doubts)
    return replace(op, confidence=DOUBTED, evidence=(*op.evidence, *notes))


def _said(atom: Atom) -> str:
    """Return the words of an atom; outcomes that were read from a test are spelled as that test is."""
    return "\n".join((atom.intent, *(each for each in atom.outcomes if not is_read(each))))
