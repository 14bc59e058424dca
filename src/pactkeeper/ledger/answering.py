"""Putting questions to something that answers many by itself: what it is shown, what it says, and what that costs.

The budget of one run: what it may use up, counted in whole numbers, and what stops it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal, Protocol

from pactkeeper.ledger.canonical import JsonValue, digest
from pactkeeper.ledger.shape import Shape

# Why a question stays open after it was asked; "answered" is the one that does not.
ReplyState = Literal["answered", "refused", "objected", "malformed", "failed", "over budget"]


@dataclass(frozen=True, slots=True)
class Prompt:
    """One question as it is put to a model or an agent.

    `instructions` come from our templates alone; `material` is text of the repository, fenced, and never instructs.
    `version` names the template, such as `word_test/1`.
    """

    question: str
    kind: str
    version: str
    instructions: str
    material: str
    shape: Shape = field(repr=False)

    @property
    def key(self) -> str:
        """What decides an answer besides who is asked: the question and every word that puts it."""
        return digest([self.question, self.version, self.instructions, self.material])


@dataclass(frozen=True, slots=True)
class Usage:
    """What asking took; `money` counts millionths of a US dollar, None where the price is not known."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    money: int | None = 0
    milliseconds: int = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of one prompt; `value` fits its shape where the state is "answered", and `cached` cost nothing now.

    `reasons` say what is wrong in any other state, for people.
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
    """What asking prompts will take at most; prompts that were answered before are counted as `cached` and free."""

    prompts: int
    cached: int
    usage: Usage


# What is wrong with a value that fits the shape: quotes that are not in the source, identifiers, inventions.
Check = Callable[[Prompt, JsonValue], tuple[str, ...]]


class Asker(Protocol):
    """Something that answers prompts without a person: a configured model, or a scripted one."""

    @property
    def name(self) -> str:
        """Who answers, such as `anthropic:claude-sonnet-5`."""

    def estimate(self, prompts: Sequence[Prompt]) -> Estimate:
        """Say what asking them will take at most, without asking."""

    async def ask(
        self, prompts: Sequence[Prompt], *, check: Check, keep: Callable[[Reply], None], budget: Budget
    ) -> Budget | Exceeded:
        """Ask them all, several at once; every reply goes to `keep` as soon as it is there.

        An answer to which `check` objects goes back once with the reasons. What the budget does not allow is not asked
        and kept as "over budget". Raises ModelError where nobody can be asked at all.
        """


# `money` counts millionths of the currency that prices are given in.
Resource = Literal["steps", "model_calls", "tokens", "money", "ops"]
RESOURCES: Final[tuple[Resource, ...]] = ("steps", "model_calls", "tokens", "money", "ops")


@dataclass(frozen=True, slots=True)
class BudgetLimits:
    """How much one run may use; `attempts` is per fingerprint, `depth` counts fixes of fixes."""

    steps: int = 100
    model_calls: int = 0
    tokens: int = 0
    money: int = 0
    ops: int = 10_000
    attempts: int = 3
    depth: int = 2

    def of(self, resource: Resource) -> int:
        """The limit of one resource."""
        return {
            "steps": self.steps,
            "model_calls": self.model_calls,
            "tokens": self.tokens,
            "money": self.money,
            "ops": self.ops,
        }[resource]


@dataclass(frozen=True, slots=True)
class Budget:
    """What a run has used of its limits; a new run starts from a new budget, however long its thread is."""

    limits: BudgetLimits
    spent: Mapping[Resource, int] = field(default_factory=dict)
    attempts: Mapping[str, int] = field(default_factory=dict)

    def left(self, resource: Resource) -> int:
        """How much of a resource may still be used."""
        return self.limits.of(resource) - self.spent.get(resource, 0)


@dataclass(frozen=True, slots=True)
class Exceeded:
    """The run stops before this and a person decides how to go on; `budget` is what was used until then."""

    what: str
    limit: int
    wanted: int
    budget: Budget

    def __str__(self) -> str:
        """Say what would have been exceeded."""
        return f"{self.what}: {self.wanted} needed, {self.limit} allowed; a person must decide how to go on"


@dataclass(frozen=True, slots=True)
class Standstill:
    """The run stops because a step changed nothing, so another would not either."""

    budget: Budget


def spend(budget: Budget, resource: Resource, amount: int = 1) -> Budget | Exceeded:
    """Use up some of a resource, or nothing at all where that is more than is left."""
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
    """Count a step by the digests of the state around it; a step without a change is the last."""
    return Standstill(budget) if before == after else spend(budget, "steps")
