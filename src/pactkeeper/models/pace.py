"""When the next request may go out: after failures later and later, and never before the server said."""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from pactkeeper.ledger.answering import Usage
from pactkeeper.ledger.budget import Budget, Exceeded, Resource, spend

LONGEST: Final = 120.0  # seconds; who is told to wait longer gives up
_FIRST: Final = 0.5
_LATER: Final = 30.0
# What is left of an allowance, and when it is full again; by the header's beginning and end, as two families write it.
_ALLOWANCES: Final = (
    ("x-ratelimit-remaining-{}", "x-ratelimit-reset-{}", ("requests", "tokens")),
    (
        "anthropic-ratelimit-{}-remaining",
        "anthropic-ratelimit-{}-reset",
        ("requests", "tokens", "input-tokens", "output-tokens"),
    ),
)
_DURATION: Final = re.compile(r"(?<!\d)(\d++(?:\.\d++)?)(ms|h|m|s)")
_SECONDS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


@dataclass(slots=True)
class Pace:
    """The waiting of all requests over one connection; `jitter` gives a number from 0 to 1, `clock` seconds."""

    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    jitter: Callable[[], float] = random.random
    clock: Callable[[], float] = time.monotonic
    quiet_until: float = 0.0

    async def ready(self) -> None:
        """Wait as long as the server wants quiet."""
        if (left := self.quiet_until - self.clock()) > 0:
            await self.sleep(left)

    def hush(self, seconds: float) -> None:
        """Let nobody ask for some seconds, and never longer than anybody would wait."""
        self.quiet_until = max(self.quiet_until, self.clock() + min(seconds, LONGEST))

    async def back_off(self, attempt: int, wait: float | None) -> None:
        """Wait before attempt number `attempt` + 1, all of what the server asked for and a little by chance."""
        if wait is not None:
            self.hush(wait)
            await self.sleep(wait + self.jitter() * _FIRST)
            return
        longest = min(_LATER, _FIRST * 2.0**attempt)
        await self.sleep(longest * (1 + self.jitter()) / 2)


def quiet_for(headers: Mapping[str, str], now: datetime | None = None) -> float:
    """The seconds until an allowance that is used up is full again, as rate-limit headers say; 0 where none is."""
    found = 0.0
    for left, reset, names in _ALLOWANCES:
        for name in names:
            if headers.get(left.format(name), "").strip() == "0":
                found = max(found, _seconds(headers.get(reset.format(name), ""), now or datetime.now(UTC)))
    return found


def _seconds(text: str, now: datetime) -> float:
    """A duration such as `6m0s` or `20ms`, a number of seconds, or a time; 0 for anything else."""
    parts = _DURATION.findall(text)
    if parts and "".join(number + unit for number, unit in parts) == text.strip():
        return sum(float(number) * _SECONDS[unit] for number, unit in parts)
    try:
        return max(0.0, float(text))
    except ValueError:
        pass
    try:
        return max(0.0, (datetime.fromisoformat(text) - now).total_seconds())
    except (ValueError, TypeError):
        return 0.0


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
