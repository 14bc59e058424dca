"""Spending under a hard cap: the most that a call can cost is set aside before it, and settled after it."""

from __future__ import annotations

from dataclasses import dataclass, field

from pactkeeper.ledger.answering import Usage
from pactkeeper.ledger.budget import Budget, Exceeded, Resource, spend


@dataclass(slots=True)
class Purse:
    """A budget that several calls use at once; `exceeded` is the first thing it had no room for."""

    budget: Budget
    exceeded: Exceeded | None = None
    _aside: dict[Resource, int] = field(default_factory=dict)

    def reserve(self, most: Usage) -> Exceeded | None:
        """Set aside what a call can take at most, or nothing where that is more than is left."""
        wanted = _amounts(most)
        for resource, amount in wanted.items():
            used = self.budget.spent.get(resource, 0) + self._aside.get(resource, 0)
            limit = self.budget.limits.of(resource)
            if used + amount > limit:
                found = Exceeded(resource, limit, used + amount, self.budget)
                self.exceeded = self.exceeded or found
                return found
        for resource, amount in wanted.items():
            self._aside[resource] = self._aside.get(resource, 0) + amount
        return None

    def settle(self, most: Usage, took: Usage) -> None:
        """Put back what was set aside and spend what the call took, even where a server says it took more."""
        for resource, amount in _amounts(most).items():
            self._aside[resource] -= amount
        for resource, amount in _amounts(took).items():
            self._spend(resource, amount)

    def _spend(self, resource: Resource, amount: int) -> None:
        spent = spend(self.budget, resource, amount)
        if isinstance(spent, Exceeded):
            self.exceeded = self.exceeded or spent
            spent = Budget(
                self.budget.limits,
                {**self.budget.spent, resource: self.budget.spent.get(resource, 0) + amount},
                self.budget.attempts,
            )
        self.budget = spent

    def outcome(self) -> Budget | Exceeded:
        """What is used, or what there was no room for, with the budget as it is by now."""
        if self.exceeded is None:
            return self.budget
        return Exceeded(self.exceeded.what, self.exceeded.limit, self.exceeded.wanted, self.budget)


def _amounts(usage: Usage) -> dict[Resource, int]:
    tokens = usage.input_tokens + usage.output_tokens
    return {"model_calls": usage.calls, "tokens": tokens, "money": usage.money or 0}
