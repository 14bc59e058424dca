"""What a run asks of a model: each question once, each answer judged and stored as it comes, and all of it counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from pactkeeper.errors import ModelUnavailable
from pactkeeper.intent.records import TestRecord
from pactkeeper.ledger.answering import Asker, Budget, Exceeded, Prompt, Reply, Resource
from pactkeeper.ledger.canonical import JsonValue, Run
from pactkeeper.ledger.question import Answer, Question, Refusal, left_to_people
from pactkeeper.reconcile.answering import answered_tests, subjects_of
from pactkeeper.reconcile.judging import contrary, grounds_of, problems, prompts_for, undecided
from pactkeeper.reconcile.world import World
from pactkeeper.reconcile.worth import LEAST_OF_A_MODEL
from pactkeeper.repo.context import Sources
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
from pactkeeper.store.records import previous_records

MOST_ASKED: Final = 200  # questions of one step
COUNTED: Final = ("asked", "answered", "refused", "failed", "over_budget")
_SPENT: Final[Mapping[str, Resource]] = {"model_calls": "model_calls", "tokens": "tokens", "money": "money"}


@dataclass(frozen=True, slots=True)
class Shown:
    """What questions are shown with: one snapshot with its world, and the sources of contexts where there are any."""

    snapshot: Snapshot
    world: World
    sources: Sources | None = None


def known_tests(history: History, asker: Asker | None) -> Mapping[str, TestRecord]:
    """What earlier runs know of tests, but for those that an answer or this asker may say more of."""
    again = answered_tests(answered_questions(history))
    if asker is not None:
        done = left_to_people(refusals(history), answerer="model", by=asker.name)
        again |= subjects_of(one for one in open_questions(history) if one.id not in done)
    found = previous_records(history)
    return {name: row for name, row in found.items() if row.outcome == "proposed" or name not in again}


@dataclass(slots=True)
class Interview:
    """One run's questions to an asker; `counts` are those of the whole run, over every process that ran it.

    `tell` is called with the counts after every reply, `notice` with what people should hear.
    """

    asker: Asker
    budget: Budget
    history: History
    run: str
    now: Callable[[], str]
    tell: Callable[[Mapping[str, int]], None]
    notice: Callable[[str], None]
    counts: Counter[str] = field(default_factory=Counter)

    @staticmethod
    def counted(run: Run, budget: Budget) -> tuple[Counter[str], Budget]:
        """What an interrupted run had counted, and the budget without what it had spent."""
        counts = Counter({key: run.summary.get(key, 0) for key in (*COUNTED, *_SPENT)})
        spent: dict[Resource, int] = {resource: counts[key] for key, resource in _SPENT.items() if counts[key]}
        return counts, budget if budget.spent else replace(budget, spent=spent)

    async def ask(self, questions: Sequence[Question], shown: Shown) -> Mapping[str, int]:
        """Ask what nobody has answered and the asker has not been refused; what stays open is left to people."""
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
        """How many of these would be asked: neither answered nor refused, and no budget has run out."""
        return 0 if self.counts["over_budget"] else len(self._unasked(questions))

    def _unasked(self, questions: Sequence[Question]) -> list[Question]:
        answered = {question.id for question, _ in answered_questions(self.history)}
        done = answered | left_to_people(refusals(self.history), answerer="model", by=self.asker.name)
        return [one for one in {question.id: question for question in questions}.values() if one.id not in done]

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
            self.notice(f"{reason}; what it was not asked is left to people: pk questions")
            return
        if isinstance(after, Exceeded):
            self.notice(f"{self.run}: {after}: pk questions")
        self.budget = after.budget if isinstance(after, Exceeded) else after

    def _problems(self, question: Question, value: JsonValue, shown: Shown) -> tuple[str, ...]:
        grounds = grounds_of(question, shown.snapshot.read, shown.world)
        if grounds is None:
            return ("the source cannot be read any more",)
        wrong = problems(question, self._answer(question, value, self.asker.name), grounds)
        return wrong or contrary(question, value, shown.snapshot, shown.world)

    def _keep(self, question: Question, reply: Reply, shown: Shown) -> None:
        """Store what became of one question; a reply counts for what our own judgement makes of it."""
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
        """Why a reply is not taken; empty where it is."""
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
