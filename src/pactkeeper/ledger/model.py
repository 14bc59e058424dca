"""A language model's configuration: how to reach it, its caps, and a record of each call."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal, get_args

from pactkeeper.ledger.answering import BudgetLimits, ReplyState
from pactkeeper.ledger.canonical import JsonValue

Provider = Literal["openai-compatible", "anthropic", "ollama", "openrouter"]
PROVIDERS: Final[tuple[Provider, ...]] = get_args(Provider)
# How a model is made to answer in a shape: through the one tool it is offered, or the server's JSON schema mode.
Structured = Literal["tool", "schema"]
STRUCTURED: Final[tuple[Structured, ...]] = get_args(Structured)
Asking = Literal["never", "always"]
ASKING: Final[tuple[Asking, ...]] = get_args(Asking)

UNCAPPED: Final = 10**15  # more than any run uses, and still an integer in every database
_MILLION: Final = 1_000_000
_CENT: Final = 10_000


@dataclass(frozen=True, slots=True)
class Price:
    """The price of a million tokens, in millionths of a US dollar."""

    input: int
    output: int

    def of(self, *, input_tokens: int, output_tokens: int) -> int:
        """The price of these tokens in millionths of a US dollar, rounded up."""
        return -(-(input_tokens * self.input + output_tokens * self.output) // _MILLION)


@dataclass(frozen=True, slots=True)
class Caps:
    """Spending caps, with money in millionths of a US dollar; None means no cap."""

    calls: int | None = None
    tokens: int | None = None
    money: int | None = None


RUN_CAPS: Final = Caps(calls=500, tokens=2_000_000)  # used if the user sets none


@dataclass(frozen=True, slots=True)
class ModelSetup:
    """The model as the user configured it; `source` says where, for messages.

    `key_env` names the environment variable that holds the key; the key itself is never part of a setup. `timeout` is
    in seconds, from the start of a call to its last byte. `price` is None if not configured. `kinds` are the kinds of
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
    """One request to a model, or one cached answer (`cached`); `run` is empty outside of runs.

    `state` is the outcome of this request alone; `money` is in millionths of a US dollar, None if the price is unknown.
    `at` is ISO 8601 with offset.
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
    """A model's stored answer to a prompt, so that it is not paid for twice; `endpoint` is the address asked."""

    key: str
    version: str
    model: str
    endpoint: str
    value: JsonValue
    at: str


@dataclass(frozen=True, slots=True)
class Spent:
    """The total cost of several calls; `money` sums calls with a known price, `unpriced` counts the others."""

    calls: int = 0
    cached: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    money: int = 0
    unpriced: int = 0
    milliseconds: int = 0


def spent_on(calls: Iterable[ModelCall]) -> Spent:
    """Add up calls; cached answers count only as cached."""
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
    """Return what a run may still use: the tightest of its own caps, the setup's caps and the rest of the day's.

    `run` is what earlier processes spent on the same run, `today` what all runs spent today.
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
    """Format millionths of a US dollar, rounded up to cents or, below a cent, to four digits; None reads as unknown."""
    if money is None:
        return "at an unknown price"
    digits = 2 if money >= _CENT or not money else 4
    unit = 10 ** (6 - digits)
    whole, rest = divmod(-(-money // unit), 10**digits)
    return f"${whole:,}.{rest:0{digits}}"
