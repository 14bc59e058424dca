"""Whom a run puts its questions to, and what it may use up: the model that is set up, where the request asks for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from pactkeeper.errors import ModelUnavailable, UsageError
from pactkeeper.ledger.answering import Asker, Budget, Check, Estimate, Exceeded, Prompt, Reply, Resource, Usage
from pactkeeper.ledger.canonical import Run
from pactkeeper.ledger.model import Caps, ModelSetup, Spent, limits_of, spent_on
from pactkeeper.operators.models import spent_today
from pactkeeper.reconcile.request import Request
from pactkeeper.store.model_calls import calls_of
from pactkeeper.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Asking:
    """Somebody to ask, and what is left of what that may take; nobody where the run is to do without."""

    asker: Asker | None = None
    budget: Budget | None = None


def settled(workspace: Workspace, request: Request) -> Request:
    """The request with the person's own word on whether a model is asked, where it says nothing itself.

    Raises ModelUnavailable before anything is begun where a model is to be asked and cannot be, and UsageError for caps
    on a run that asks none.
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
    """Whom this run asks, with the narrowest of all caps and what an earlier process spent on the same run.

    A run that is taken up again where no model is set up goes on without one, and that is said.
    """
    request = Request.of(run.options)
    if not request.ask:
        return Asking()
    try:
        asker = workspace.asker(run.id)
    except ModelUnavailable as reason:
        workspace.notice(f"{run.id} goes on without a model, and leaves its questions to people: {reason}")
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
    """An asker that asks nobody and remembers what asking would take at most."""

    asker: Asker
    found: list[Estimate] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Who would answer."""
        return self.asker.name

    def estimate(self, prompts: Sequence[Prompt]) -> Estimate:
        """Say what the other says."""
        return self.asker.estimate(prompts)

    async def ask(
        self, prompts: Sequence[Prompt], *, check: Check, keep: Callable[[Reply], None], budget: Budget
    ) -> Budget | Exceeded:
        """Remember what it would take; nothing is answered."""
        del check, keep
        self.found.append(self.asker.estimate(prompts))
        return budget

    @property
    def together(self) -> Estimate:
        """All that was remembered, added up."""
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
    """Whether anything caps money."""
    return any(one is not None for one in (request.max_cost, setup.run.money, setup.day.money))


def _without(today: Spent, run: Spent) -> Spent:
    """What other runs spent today; a run that began on another day takes away no more than there is."""
    return replace(
        today,
        calls=max(0, today.calls - run.calls),
        input_tokens=max(0, today.input_tokens - run.input_tokens),
        output_tokens=max(0, today.output_tokens - run.output_tokens),
        money=max(0, today.money - run.money),
    )
