"""Prompts, replies and their costs for anything that answers questions automatically.

Also the budget of a run: its limits, counted in whole numbers, and what stops the run when one is reached.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal, Protocol, get_args

from pactkeeper.ledger.canonical import JsonValue, digest
from pactkeeper.ledger.shape import Shape

# Outcome of asking one question; every state but "answered" leaves the question open.
ReplyState = Literal["answered", "refused", "objected", "malformed", "failed", "over budget"]


@dataclass(frozen=True, slots=True)
class Prompt:
    """One question as it is sent to a model or an agent.

    `instructions` come only from our templates; `material` is fenced text from the repository and is never treated as
    instructions. `version` names the template, such as `word_test/1`.
    """

    question: str
    kind: str
    version: str
    instructions: str
    material: str
    shape: Shape = field(repr=False)

    @property
    def key(self) -> str:
        """The digest of the question and of every word in the prompt; with the model, it determines the answer."""
        return digest([self.question, self.version, self.instructions, self.material])


@dataclass(frozen=True, slots=True)
class Usage:
    """Resources used by asking; `money` is in millionths of a US dollar, None if the price is unknown."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    money: int | None = 0
    milliseconds: int = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """The result of one prompt; `value` fits its shape if the state is "answered", and a `cached` reply was free.

    In any other state, `reasons` explain the problem to people.
    """

    prompt: Prompt
    state: ReplyState
    model: str
    value: JsonValue = None
    reasons: tuple[str, ...] = ()
    usage: Usage = Usage()
    cached: bool = False


@dataclass(frozen=True, slots=True)
class Estimate:
    """An upper bound on the cost of a set of prompts; prompts answered before count as `cached` and free."""

    prompts: int
    cached: int
    usage: Usage


# Return the problems of a value that fits its shape: quotes missing from the source, unknown identifiers, inventions.
Check = Callable[[Prompt, JsonValue], tuple[str, ...]]


class Asker(Protocol):
    """Something that answers prompts without a person: a configured model, or a scripted one."""

    @property
    def name(self) -> str:
        """Who answers, such as `anthropic:claude-sonnet-5`."""

    def estimate(self, prompts: Sequence[Prompt]) -> Estimate:
        """Estimate the most that asking these prompts can cost, without asking."""

    async def ask(
        self, prompts: Sequence[Prompt], *, check: Check, keep: Callable[[Reply], None], budget: Budget
    ) -> Budget | Exceeded:
        """Ask all prompts concurrently; every reply is passed to `keep` as soon as it arrives.

        An answer rejected by `check` is sent back once with the reasons. Prompts the budget does not allow are not sent
        and are kept as "over budget". Raises ModelError if no model can be reached at all.
        """


# `money` counts millionths of the currency in which prices are given.
Resource = Literal["steps", "model_calls", "tokens", "money", "ops"]
RESOURCES: Final[tuple[Resource, ...]] = get_args(Resource)


@dataclass(frozen=True, slots=True)
class BudgetLimits:
    """The limits of one run; `attempts` is per fingerprint, `depth` counts fixes of fixes."""

    steps: int = 100
    model_calls: int = 0
    tokens: int = 0
    money: int = 0
    ops: int = 10_000
    attempts: int = 3
    depth: int = 2

    def of(self, resource: Resource) -> int:
        """The limit of one resource."""
        limit: int = getattr(self, resource)
        return limit


@dataclass(frozen=True, slots=True)
class Budget:
    """What a run has used of its limits; every run starts with a fresh budget, however long its thread is."""

    limits: BudgetLimits
    spent: Mapping[Resource, int] = field(default_factory=dict)
    attempts: Mapping[str, int] = field(default_factory=dict)

    def left(self, resource: Resource) -> int:
        """How much of a resource may still be used."""
        return self.limits.of(resource) - self.spent.get(resource, 0)


@dataclass(frozen=True, slots=True)
class Exceeded:
    """The run stops before exceeding a limit and a person decides how to continue; `budget` is what was used so far."""

    what: str
    limit: int
    wanted: int
    budget: Budget

    def __str__(self) -> str:
        """Say which limit would have been exceeded."""
        return f"{self.what}: {self.wanted} needed, {self.limit} allowed; a person must decide how to go on"


@dataclass(frozen=True, slots=True)
class Standstill:
    """The run stops because a step changed nothing, so another would not either."""

    budget: Budget


def spend(budget: Budget, resource: Resource, amount: int = 1) -> Budget | Exceeded:
    """Spend some of a resource, or nothing if that is more than is left."""
    if amount < 0:
        raise ValueError(f"{amount} {resource} cannot be spent; what is spent does not come back")
    total = budget.spent.get(resource, 0) + amount
    if total > budget.limits.of(resource):
        return Exceeded(resource, budget.limits.of(resource), total, budget)
    return replace(budget, spent={**budget.spent, resource: total})


def attempt(budget: Budget, fingerprint: str) -> Budget | Exceeded:
    """Count one more attempt to settle a finding."""
    count = budget.attempts.get(fingerprint, 0) + 1
    if count > budget.limits.attempts:
        return Exceeded(f"attempts at {fingerprint}", budget.limits.attempts, count, budget)
    return replace(budget, attempts={**budget.attempts, fingerprint: count})


def deepen(budget: Budget, depth: int) -> Budget | Exceeded:
    """Allow a fix at this generation depth: 1 fixes a finding, 2 fixes what such a fix broke."""
    return budget if depth <= budget.limits.depth else Exceeded("generation depth", budget.limits.depth, depth, budget)


def step(budget: Budget, *, before: str, after: str) -> Budget | Exceeded | Standstill:
    """Count a step, given digests of the state before and after; a step that changes nothing is the last."""
    return Standstill(budget) if before == after else spend(budget, "steps")
