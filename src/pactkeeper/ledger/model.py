"""A language model as it is set up: how it is reached, what it may use up, and what one call to it took."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

from pactkeeper.ledger.answering import BudgetLimits, ReplyState
from pactkeeper.ledger.canonical import JsonValue

Provider = Literal["openai-compatible", "anthropic", "ollama", "openrouter"]
PROVIDERS: Final[tuple[Provider, ...]] = ("openai-compatible", "anthropic", "ollama", "openrouter")
# How a model is made to answer in a shape: by the one tool it is offered, or by the server's own JSON schema mode.
Structured = Literal["tool", "schema"]
STRUCTURED: Final[tuple[Structured, ...]] = ("tool", "schema")
Asking = Literal["never", "always"]
ASKING: Final[tuple[Asking, ...]] = ("never", "always")

UNCAPPED: Final = 10**15  # more than any run uses up, and whole in every database
_MILLION: Final = 1_000_000
_CENT: Final = 10_000


@dataclass(frozen=True, slots=True)
class Price:
    """What a million tokens cost, in millionths of a US dollar."""

    input: int
    output: int

    def of(self, *, input_tokens: int, output_tokens: int) -> int:
        """The price of these tokens in millionths of a US dollar, rounded up."""
        return -(-(input_tokens * self.input + output_tokens * self.output) // _MILLION)


@dataclass(frozen=True, slots=True)
class Caps:
    """How much may be used up, money in millionths of a US dollar; None is no cap."""

    calls: int | None = None
    tokens: int | None = None
    money: int | None = None


RUN_CAPS: Final = Caps(calls=500, tokens=2_000_000)  # where a person says none


@dataclass(frozen=True, slots=True)
class ModelSetup:
    """The model a person set up; `source` says where, for messages.

    `key_env` names the environment variable with the key, which itself is never part of a setup. `timeout` counts
    seconds of one call from its start to the last byte. `price` is None where nobody said it. `kinds` are the kinds of
    question it is asked; empty means all. `run` caps one run, `day` all runs of a repository on one day (UTC).
    """

    provider: Provider
    model: str
    base_url: str
    key_env: str = ""
    structured: Structured = "tool"
    price: Price | None = None
    concurrency: int = 4
    timeout: int = 60
    retries: int = 4
    max_output_tokens: int = 2_000
    ask: Asking = "never"
    kinds: tuple[str, ...] = ()
    run: Caps = RUN_CAPS
    day: Caps = Caps()
    source: str = ""

    @property
    def name(self) -> str:
        """Who answers, such as `anthropic:claude-sonnet-5`."""
        return f"{self.provider}:{self.model}"


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One request to a model, or one answer taken from those kept (`cached`); `run` is empty outside of runs.

    `state` is what the reply to this request alone came to; `money` counts millionths of a US dollar, None where the
    price is not known. `at` is ISO 8601 with offset.
    """

    run: str
    question: str
    kind: str
    version: str
    model: str
    at: str
    input_tokens: int
    output_tokens: int
    money: int | None
    milliseconds: int
    state: ReplyState
    cached: bool = False


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """What a model said to a prompt, so that it is not paid for twice; `endpoint` is the address that was asked."""

    key: str
    version: str
    model: str
    endpoint: str
    value: JsonValue
    at: str


@dataclass(frozen=True, slots=True)
class Spent:
    """What calls took together; `money` counts those with a known price, `unpriced` the others."""

    calls: int = 0
    cached: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    money: int = 0
    unpriced: int = 0
    milliseconds: int = 0


def spent_on(calls: Iterable[ModelCall]) -> Spent:
    """Add calls up; answers that were kept count as cached only."""
    found = tuple(calls)
    asked = [one for one in found if not one.cached]
    return Spent(
        calls=len(asked),
        cached=len(found) - len(asked),
        input_tokens=sum(one.input_tokens for one in asked),
        output_tokens=sum(one.output_tokens for one in asked),
        money=sum(one.money or 0 for one in asked),
        unpriced=sum(1 for one in asked if one.money is None),
        milliseconds=sum(one.milliseconds for one in asked),
    )


def limits_of(setup: ModelSetup, asked: Caps, *, run: Spent, today: Spent) -> BudgetLimits:
    """What a run may still use: the narrowest of its own caps, those of the setup, and what is left of the day.

    `run` is what an earlier process spent on the same run, `today` what all runs spent today.
    """

    def left(*capped: tuple[int | None, int]) -> int:
        return max(0, min((cap - used for cap, used in capped if cap is not None), default=UNCAPPED))

    return BudgetLimits(
        model_calls=left((asked.calls, run.calls), (setup.run.calls, run.calls), (setup.day.calls, today.calls)),
        tokens=left((asked.tokens, _tokens(run)), (setup.run.tokens, _tokens(run)), (setup.day.tokens, _tokens(today))),
        money=left((asked.money, run.money), (setup.run.money, run.money), (setup.day.money, today.money)),
    )


def _tokens(spent: Spent) -> int:
    return spent.input_tokens + spent.output_tokens


def dollars(money: int | None) -> str:
    """Millionths of a US dollar in words, cents at least, rounded up; an unknown price is said to be one."""
    if money is None:
        return "at a price that is not known"
    digits = 2 if money >= _CENT or not money else 4
    unit = 10 ** (6 - digits)
    whole, rest = divmod(-(-money // unit), 10**digits)
    return f"${whole:,}.{rest:0{digits}}"
