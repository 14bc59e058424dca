"""When the next request may be sent: later and later after failures, and never before the server allows.

One round of questions to one model: each is asked, retried if the connection fails, and repaired once.
"""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from time import perf_counter
from typing import Final, Protocol

from pactkeeper.ledger.answering import Budget, Check, Exceeded, Prompt, Reply, ReplyState, Resource, Usage, spend
from pactkeeper.ledger.model import ModelSetup, Price
from pactkeeper.models.said import Completion, Failed, Judged, Words, judge, mending, most, words_of

LONGEST: Final = 120.0  # seconds; a longer wait is not honoured, the round gives up instead
_FIRST: Final = 0.5
_LATER: Final = 30.0
# Header names for the rest of an allowance and its reset, in the two common spellings.
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
    """The waiting of all requests over one connection; `jitter` returns a number from 0 to 1, `clock` seconds."""

    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    jitter: Callable[[], float] = random.random
    clock: Callable[[], float] = time.monotonic
    quiet_until: float = 0.0

    async def ready(self) -> None:
        """Wait until the server accepts requests again."""
        if (left := self.quiet_until - self.clock()) > 0:
            await self.sleep(left)

    def hush(self, seconds: float) -> None:
        """Hold all requests for some seconds, up to the longest wait accepted."""
        self.quiet_until = max(self.quiet_until, self.clock() + min(seconds, LONGEST))

    async def back_off(self, attempt: int, wait: float | None) -> None:
        """Wait before attempt number `attempt` + 1: at least as long as the server asked for, plus jitter."""
        if wait is not None:
            self.hush(wait)
            await self.sleep(wait + self.jitter() * _FIRST)
            return
        longest = min(_LATER, _FIRST * 2.0**attempt)
        await self.sleep(longest * (1 + self.jitter()) / 2)


def quiet_for(headers: Mapping[str, str], now: datetime | None = None) -> float:
    """The seconds until an exhausted allowance resets, according to rate-limit headers; 0 if none is exhausted."""
    found = 0.0
    for left, reset, names in _ALLOWANCES:
        for name in names:
            if headers.get(left.format(name), "").strip() == "0":
                found = max(found, _seconds(headers.get(reset.format(name), ""), now or datetime.now(UTC)))
    return found


def _seconds(text: str, now: datetime) -> float:
    """The seconds in a duration such as `6m0s` or `20ms`, in a plain number, or until a time; 0 for anything else."""
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
    """A budget shared by concurrent calls; `exceeded` is the first request that didn't fit."""

    budget: Budget
    exceeded: Exceeded | None = None
    _aside: dict[Resource, int] = field(default_factory=dict)

    def reserve(self, most: Usage) -> Exceeded | None:
        """Reserve the most that a call can use, or nothing if that is more than is left."""
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
        """Release a reservation and spend what the call used, even if that is more than was reserved."""
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
        """The budget used, or what didn't fit, with the current budget."""
        if self.exceeded is None:
            return self.budget
        return Exceeded(self.exceeded.what, self.exceeded.limit, self.exceeded.wanted, self.budget)


def _amounts(usage: Usage) -> dict[Resource, int]:
    tokens = usage.input_tokens + usage.output_tokens
    return {"model_calls": usage.calls, "tokens": tokens, "money": usage.money or 0}


Fields = Mapping[str, str | int]
Watch = Callable[[str, Fields], AbstractContextManager[Callable[[Fields], None]]]
IN_A_ROW: Final = 3  # consecutive questions without an answer before the rest is given up


class CallNote(Protocol):
    """Notes a call."""

    def __call__(self, prompt: Prompt, state: ReplyState, took: Usage) -> None:
        """Record the outcome of a call and what it used."""


@contextmanager
def unwatched(_name: str, _fields: Fields) -> Iterator[Callable[[Fields], None]]:
    """Watch nothing."""
    yield lambda _known: None


@dataclass(frozen=True, slots=True)
class _Turn:
    """The outcome of asking once, retries included."""

    judged: Judged
    usage: Usage
    text: str = ""


@dataclass(slots=True)
class Round:
    """Questions asked over one connection; `heard` counts responses, `down` says why no more are asked."""

    setup: ModelSetup
    send: Callable[[Words], Awaitable[Completion | Failed]]
    pace: Pace
    purse: Purse
    price: Price | None
    check: Check
    note: CallNote
    watch: Watch = unwatched
    run: str = ""
    heard: int = 0
    down: str = ""
    _in_a_row: int = 0

    async def reply_to(self, prompt: Prompt) -> Reply:
        """Ask one question; an invalid answer is sent back once with the reasons."""
        words = words_of(prompt)
        turn = await self._turn(prompt, words)
        if turn.judged.mendable:
            turn = await self._mended(prompt, words, turn)
        judged = turn.judged
        value = judged.value if judged.state == "answered" else None
        return Reply(prompt, judged.state, self.setup.name, value, judged.reasons, turn.usage)

    async def _mended(self, prompt: Prompt, words: Words, first: _Turn) -> _Turn:
        """Ask again; if that isn't possible, keep the first answer's reasons and add why it was not sent back."""
        again = await self._turn(prompt, mending(words, first.text, first.judged.reasons))
        usage = _sum(first.usage, again.usage)
        if again.judged.state in {"over budget", "failed"}:
            reasons = (*first.judged.reasons, f"it did not go back: {again.judged.reasons[0]}")
            return _Turn(Judged(first.judged.state, reasons=reasons), usage)
        return replace(again, usage=usage)

    async def _turn(self, prompt: Prompt, words: Words) -> _Turn:
        usage = Usage()
        worst = most(words.size, self.setup, self.price)
        for attempt in range(self.setup.retries + 1):
            await self.pace.ready()
            if self.down:
                return _Turn(Judged("failed", reasons=(self.down,)), usage)
            if (short := self.purse.reserve(worst)) is not None:
                return _Turn(Judged("over budget", reasons=(str(short),)), usage)
            said, judged, took = await self._call(prompt, words, worst)
            usage = _sum(usage, took)
            if isinstance(said, Completion):
                self.heard, self._in_a_row = self.heard + 1, 0
                return _Turn(judged, usage, said.text)
            if said.fatal or not said.again or attempt == self.setup.retries:
                self._give_up(said)
                break
            await self.pace.back_off(attempt, said.wait)
        return _Turn(judged, usage)

    async def _call(self, prompt: Prompt, words: Words, worst: Usage) -> tuple[Completion | Failed, Judged, Usage]:
        """Send one request and record it; if its outcome is unknown, it counts as the most it can have cost."""
        began = perf_counter()
        state: ReplyState = "failed"
        took = worst
        try:
            with self.watch(f"chat {self.setup.model}", self._fields(prompt)) as tell:
                said = await self.send(words)
                took = self._took(said, worst)
                judged = _judged(said, prompt, self.check)
                state = judged.state
                tell(_told(state, took))
        finally:
            took = replace(took, milliseconds=round((perf_counter() - began) * 1000))
            self.purse.settle(worst, took)
            self.note(prompt, state, took)
        return said, judged, took

    def _took(self, said: Completion | Failed, worst: Usage) -> Usage:
        """The usage the server reported; without it, an estimate from bytes and the worst case."""
        if isinstance(said, Failed):
            return worst if said.billed else Usage(calls=1)
        tokens = said.input_tokens or worst.input_tokens, said.output_tokens or len(said.text.encode())
        money = None if self.price is None else self.price.of(input_tokens=tokens[0], output_tokens=tokens[1])
        return Usage(1, *tokens, money)

    def _give_up(self, failed: Failed) -> None:
        """Stop asking if that is pointless by now."""
        self._in_a_row += int(failed.again)
        if failed.fatal:
            self.down = self.down or failed.reason
        elif self._in_a_row >= IN_A_ROW:
            self.down = self.down or f"{self._in_a_row} questions in a row got no answer; {failed.reason}"

    def _fields(self, prompt: Prompt) -> Fields:
        return {
            "run": self.run,
            "question": prompt.question,
            "kind": prompt.kind,
            "version": prompt.version,
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": self.setup.provider,
            "gen_ai.request.model": self.setup.model,
            "gen_ai.request.max_tokens": self.setup.max_output_tokens,
        }


def _judged(said: Completion | Failed, prompt: Prompt, check: Check) -> Judged:
    return Judged("failed", reasons=(said.reason,)) if isinstance(said, Failed) else judge(said, prompt, check)


def _told(state: ReplyState, took: Usage) -> Fields:
    money = {} if took.money is None else {"money": took.money}
    tokens = {"gen_ai.usage.input_tokens": took.input_tokens, "gen_ai.usage.output_tokens": took.output_tokens}
    return {"state": state, **tokens, **money}


def _sum(one: Usage, other: Usage) -> Usage:
    money = None if one.money is None or other.money is None else one.money + other.money
    return Usage(
        one.calls + other.calls,
        one.input_tokens + other.input_tokens,
        one.output_tokens + other.output_tokens,
        money,
        one.milliseconds + other.milliseconds,
    )
