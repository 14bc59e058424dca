"""How a verb drives a run through its graph: alone on the repository, in this process, reporting progress.

Also the verb that raises questions about existing atoms, what becomes of the answers, and which model a run may ask at
what cost: the configured one, if the request wants it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from pactkeeper.errors import ModelUnavailable, UsageError
from pactkeeper.ledger.answering import Asker, Budget, Check, Estimate, Exceeded, Prompt, Reply, Resource, Usage
from pactkeeper.ledger.canonical import Run
from pactkeeper.ledger.model import Caps, ModelSetup, Spent, limits_of, spent_on
from pactkeeper.ledger.patch import Patch, in_order
from pactkeeper.ledger.question import RAISED, Answer, Question
from pactkeeper.operators.atoms import named_atom
from pactkeeper.operators.history import keep_patch, new_run
from pactkeeper.operators.models import spent_today
from pactkeeper.reconcile.authored import MOST_RAISED, proposed, raised
from pactkeeper.reconcile.flow import Drive
from pactkeeper.reconcile.request import Request
from pactkeeper.reconcile.steps import Steps
from pactkeeper.reconcile.world import World
from pactkeeper.store.lease import Held, Waiting, lease
from pactkeeper.store.questions import answered_questions, open_questions, save_questions
from pactkeeper.store.runs import add_run, calls_of
from pactkeeper.workspace import Workspace


def running(workspace: Workspace) -> AbstractContextManager[Held]:
    """Hold the repository's run lease; waits for another process that has it, and names it."""
    history = workspace.history()
    waiting = Waiting(None, workspace.notice)
    return lease(history.database, history.repository, folder=workspace.state, waiting=waiting)


def steps_of(workspace: Workspace, held: Held, run: Run, *, asking: Asking | None = None) -> Steps:
    """Build the steps of a run in this process, which holds the lease; without `asking` no questions are asked."""
    steps = Steps(workspace, workspace.history(), run, Request.of(run.options), ensure_alone=held.ensure)
    if asking is not None and asking.budget is not None:
        steps.asker, steps.budget = asking.asker, asking.budget
    return steps


def drive_of(workspace: Workspace) -> Drive:
    """Return how runs are driven here, with the workspace's progress reports."""
    show = workspace.progress
    hear = None if show is None else lambda progress: show(progress.done, progress.total)
    said = workspace.surroundings
    return Drive(workspace.checkpoints, hear, None if said.log is None else Path(said.log), said.spans)


def raise_questions(workspace: Workspace, kind: str, names: Sequence[str] = ()) -> tuple[Question, ...]:
    """Ask about the named atoms, or about all that rules find lacking, at most `MOST_RAISED` at a time.

    Answered questions are not asked again, and nothing is asked about an atom with another open question. Raises
    UsageError for a kind that only runs raise.
    """
    if kind not in RAISED:
        raise UsageError(f"{kind!r} is raised only by a run; you can raise {', '.join(RAISED)}")
    world = workspace.world(workspace.snapshot(), required=True)
    wanted = [named_atom(world.pact, name).id for name in names]
    with running(workspace):
        history = workspace.history()
        answered = {question.id for question, _ in answered_questions(history)}
        asked = {question.subject for question in open_questions(history) if question.kind != kind}
        new = (one for one in raised(kind, world, wanted) if one.id not in answered)
        fresh = (one for one in new if one.subject not in asked)
        found = tuple(islice(fresh, MOST_RAISED))
        if found:
            at = workspace.now().isoformat(timespec="microseconds")
            begun = new_run(workspace, Request(everything=True), at=at)
            origin = f"pk questions raise {kind}"
            with history.database.begin():  # a completed run is never stored without its questions
                add_run(history, replace(begun, status="completed", options={"origin": origin}, completed_at=at))
                save_questions(history, begun.id, found)
    return found


def propose_answer(workspace: Workspace, question: Question, answer: Answer, world: World) -> Patch | None:
    """Store the patch that an answer about an atom proposes, for review; None if it proposes nothing."""
    ops = proposed(question, answer, world) if question.kind in RAISED else ()
    if not ops:
        return None
    patch = Patch(workspace.repository.head() or "no commit yet", in_order(ops))
    keep_patch(workspace, patch, origin=f"answer {question.id}")
    return patch


@dataclass(frozen=True, slots=True)
class Asking:
    """The model to ask and its remaining budget; both None if the run asks nobody."""

    asker: Asker | None = None
    budget: Budget | None = None


def settled(workspace: Workspace, request: Request) -> Request:
    """Apply the person's default for asking a model, if the request does not say.

    Raises ModelUnavailable before anything begins if a model is wanted and cannot be asked, and UsageError for caps on
    a run that asks none.
    """
    if request.ask is None:
        setup = workspace.model()
        request = replace(request, ask=True) if setup is not None and setup.ask == "always" else request
    if request.ask:
        asker = workspace.asker()
        asker.ensure_ready(capped=_capped(asker.setup, request))
    elif request.max_cost is not None or request.max_calls is not None:
        raise UsageError("--max-cost and --max-calls cap what a model may use up; add --ask-model")
    return request


def asking_of(workspace: Workspace, run: Run) -> Asking:
    """Return the model of this run, with the tightest caps and what earlier processes spent on it.

    A resumed run continues without a model if none is configured any more, with a notice.
    """
    request = Request.of(run.options)
    if not request.ask:
        return Asking()
    try:
        asker = workspace.asker(run.id)
    except ModelUnavailable as reason:
        workspace.notice(f"{run.id} continues without a model, and leaves its questions to people: {reason}")
        return Asking()
    before = spent_on(calls_of(workspace.history(), run.id))
    caps = Caps(calls=request.max_calls, money=request.max_cost)
    today = _without(spent_today(workspace), before)
    spent: dict[Resource, int] = {
        "model_calls": before.calls,
        "tokens": before.input_tokens + before.output_tokens,
        "money": before.money,
    }
    limits = limits_of(asker.setup, caps, run=Spent(), today=today)
    return Asking(asker, Budget(limits, {key: amount for key, amount in spent.items() if amount}))


@dataclass(slots=True)
class Estimating:
    """An asker that sends nothing and records the maximum that asking would cost."""

    asker: Asker
    found: list[Estimate] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The name of the model that would answer."""
        return self.asker.name

    def estimate(self, prompts: Sequence[Prompt]) -> Estimate:
        """Return the underlying asker's estimate."""
        return self.asker.estimate(prompts)

    async def ask(
        self, prompts: Sequence[Prompt], *, check: Check, keep: Callable[[Reply], None], budget: Budget
    ) -> Budget | Exceeded:
        """Record the estimate; nothing is answered."""
        del check, keep
        self.found.append(self.asker.estimate(prompts))
        return budget

    @property
    def together(self) -> Estimate:
        """The sum of all estimates."""
        usages = [one.usage for one in self.found]
        amounts = [one.money for one in usages]
        money = None if None in amounts else sum(amount or 0 for amount in amounts)
        usage = Usage(
            sum(one.calls for one in usages),
            sum(one.input_tokens for one in usages),
            sum(one.output_tokens for one in usages),
            money,
        )
        return Estimate(sum(one.prompts for one in self.found), sum(one.cached for one in self.found), usage)


def _capped(setup: ModelSetup, request: Request) -> bool:
    """Whether any cap on money applies."""
    return any(one is not None for one in (request.max_cost, setup.run.money, setup.day.money))


def _without(today: Spent, run: Spent) -> Spent:
    """Return what other runs spent today; subtracting a run begun on another day never goes below zero."""
    return replace(
        today,
        calls=max(0, today.calls - run.calls),
        input_tokens=max(0, today.input_tokens - run.input_tokens),
        output_tokens=max(0, today.output_tokens - run.output_tokens),
        money=max(0, today.money - run.money),
    )
