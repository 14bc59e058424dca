"""Ask the configured model: stored answers are reused, the remaining questions are asked in one round.

The price of a model's tokens comes from the person's settings, or from the list that comes with the client library.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import ROUND_CEILING, Decimal
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from pactkeeper.errors import MissingExtra, ModelUnavailable, how_to_install
from pactkeeper.ledger.answering import Budget, Check, Estimate, Exceeded, Prompt, Reply, ReplyState, Usage
from pactkeeper.ledger.model import UNCAPPED, KeptAnswer, ModelCall, ModelSetup, Price, Provider, dollars
from pactkeeper.models.pace import Pace, Purse, Round, Watch, unwatched
from pactkeeper.models.said import REPAIR, judge_kept, most, words_of

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from pactkeeper.models.line import ModelLine


PACKAGES: Final = ("pydantic_ai", "openai", "anthropic")  # of the `llm` extra


@dataclass(frozen=True, slots=True)
class Records:
    """Where calls are recorded and answers stored; `kept` takes prompt keys, a model's name and its address."""

    kept: Callable[[Sequence[str], str, str], Mapping[str, KeptAnswer]] = lambda _keys, _model, _endpoint: {}
    keep: Callable[[KeptAnswer], None] = lambda _answer: None
    note: Callable[[ModelCall], None] = lambda _call: None


@dataclass(frozen=True, slots=True)
class ModelAsker:
    """The configured model, as something that answers questions.

    `run` is the run that calls are counted for; `tell` receives a line to display before anything is asked.
    """

    setup: ModelSetup
    key: str = field(default="", repr=False)
    records: Records = Records()
    run: str = ""
    watch: Watch = unwatched
    pace: Callable[[], Pace] = Pace
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    tell: Callable[[str], None] = lambda _line: None

    @property
    def name(self) -> str:
        """The name of the model that answers."""
        return self.setup.name

    def ensure_ready(self, *, capped: bool) -> None:
        """Raise if nothing could be asked: no key, no packages, or a cap on money with the price unknown."""
        if self.setup.key_env and not self.key:
            raise ModelUnavailable(
                f"{self.name} needs a key and {self.setup.key_env} holds none; export {self.setup.key_env}=…, "
                'or name another variable by key_env in models.toml (key_env = "" if the server needs none)'
            )
        if any(find_spec(name) is None for name in PACKAGES):
            raise MissingExtra(f"asking {self.name} needs its packages: {how_to_install('llm')}")
        if capped and price_of(self.setup) is None:
            raise ModelUnavailable(
                f"the price of {self.name} is not known, so a cap on money can't be enforced; set [prices] in "
                "models.toml, or cap only calls and tokens"
            )

    def estimate(self, prompts: Sequence[Prompt]) -> Estimate:
        """An upper bound: every question asked twice, each byte a token, and each answer as long as allowed."""
        wanted = [one for one in prompts if self._wants(one)]
        kept = self._kept_of(wanted)
        rest = [one for one in wanted if one.key not in kept]
        size = sum(2 * words_of(one).size + REPAIR for one in rest)
        usage = most(size, self.setup, price_of(self.setup), calls=2 * len(rest))
        return Estimate(len(wanted), len(wanted) - len(rest), usage)

    async def ask(
        self, prompts: Sequence[Prompt], *, check: Check, keep: Callable[[Reply], None], budget: Budget
    ) -> Budget | Exceeded:
        """Ask every question not answered before; raises ModelUnavailable if the model can't be asked at all."""
        self.tell(estimated(self.name, self.estimate(prompts)))
        kept = self._kept_of(prompts)
        rest: list[Prompt] = []
        for prompt in prompts:
            known = self._known(prompt, kept, check)
            if known is None:
                rest.append(prompt)
            else:
                keep(known)
        return budget if not rest else await self._round(rest, check, keep, budget)

    def _kept_of(self, prompts: Sequence[Prompt]) -> Mapping[str, KeptAnswer]:
        return self.records.kept([one.key for one in prompts], self.name, self.setup.base_url)

    def _wants(self, prompt: Prompt) -> bool:
        return not self.setup.kinds or prompt.kind in self.setup.kinds

    def _known(self, prompt: Prompt, kept: Mapping[str, KeptAnswer], check: Check) -> Reply | None:
        """The reply known without asking: a stored answer that still holds, or a kind this model may not be asked."""
        if not self._wants(prompt):
            reason = f"{self.setup.source} lets this model be asked {', '.join(self.setup.kinds)} only"
            return Reply(prompt, "over budget", self.name, reasons=(reason,))
        if prompt.key not in kept:
            return None
        judged = judge_kept(kept[prompt.key].value, prompt, check)
        if judged.state != "answered":
            return None
        self._note(prompt, "answered", Usage(), cached=True)
        return Reply(prompt, "answered", self.name, judged.value, cached=True)

    async def _round(
        self, prompts: Sequence[Prompt], check: Check, keep: Callable[[Reply], None], budget: Budget
    ) -> Budget | Exceeded:
        self.ensure_ready(capped=budget.limits.money < UNCAPPED)
        price = price_of(self.setup)
        pace = self.pace()
        async with _opened(self.setup, self.key, pace) as line:
            asks = (self.setup, line.send, pace, Purse(budget), price)
            found = Round(*asks, check=check, note=self._note, watch=self.watch, run=self.run)

            async def one(prompt: Prompt) -> None:
                reply = await found.reply_to(prompt)
                if reply.state == "answered":
                    self.records.keep(self._kept(reply))
                keep(reply)

            await _all(prompts, one, at_once=self.setup.concurrency)
        if found.down and not found.heard:
            raise ModelUnavailable(f"{self.name} cannot be asked: {found.down}; try it with: pk models test")
        return found.purse.outcome()

    def _kept(self, reply: Reply) -> KeptAnswer:
        prompt = reply.prompt
        return KeptAnswer(prompt.key, prompt.version, self.name, self.setup.base_url, reply.value, self._at())

    def _note(self, prompt: Prompt, state: ReplyState, took: Usage, *, cached: bool = False) -> None:
        call = ModelCall(
            run=self.run,
            question=prompt.question,
            kind=prompt.kind,
            version=prompt.version,
            model=self.name,
            at=self._at(),
            input_tokens=took.input_tokens,
            output_tokens=took.output_tokens,
            money=took.money,
            milliseconds=took.milliseconds,
            state=state,
            cached=cached,
        )
        self.records.note(call)

    def _at(self) -> str:
        return self.now().isoformat(timespec="milliseconds")


def estimated(name: str, found: Estimate) -> str:
    """An estimate in words, for display."""
    fresh = found.prompts - found.cached
    before = f" ({found.cached:,} more were answered before)" if found.cached else ""
    tokens = found.usage.input_tokens + found.usage.output_tokens
    most = f"at most {found.usage.calls:,} calls, {tokens:,} tokens, {dollars(found.usage.money)}"
    return f"{name} is asked {fresh:,} {'question' if fresh == 1 else 'questions'}{before}: {most}"


def _opened(setup: ModelSetup, key: str, pace: Pace) -> AbstractAsyncContextManager[ModelLine]:
    from pactkeeper.models.line import open_line  # noqa: PLC0415 - takes a second, needed only to ask

    return open_line(setup, key, pace)


async def _all(prompts: Sequence[Prompt], work: Callable[[Prompt], object], *, at_once: int) -> None:
    """Run all, some at once; the first error cancels the others and is raised as itself."""
    gate = asyncio.Semaphore(at_once)

    async def one(prompt: Prompt) -> None:
        async with gate:
            await work(prompt)  # type: ignore[misc]  # an awaitable, whose type nobody needs

    try:
        async with asyncio.TaskGroup() as group:
            for prompt in prompts:
                group.create_task(one(prompt))
    except BaseExceptionGroup as several:
        raise several.exceptions[0] from None


_LISTED: Final[dict[Provider, str]] = {"anthropic": "anthropic", "openrouter": "openrouter"}
_SAMPLE: Final = 1_000  # tokens priced to learn the price of one, few enough for the lowest tier of a price list
_SCALE: Final = 1_000_000 * 1_000_000 // _SAMPLE
_LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "localhost"})


def price_of(setup: ModelSetup) -> Price | None:
    """The price of a model's tokens; None if neither the settings nor the list has it.

    The list is part of the installed library; nothing is fetched. A model that Ollama runs on this machine is free.
    """
    if setup.price is not None:
        return setup.price
    if setup.provider == "ollama":
        return Price(0, 0) if on_loopback(setup.base_url) and not setup.model.endswith("-cloud") else None
    try:
        from genai_prices import Usage, calc_price  # noqa: PLC0415 - an extra
    except ImportError:
        return None
    sample = Usage(input_tokens=_SAMPLE, output_tokens=_SAMPLE)
    try:
        if listed := _LISTED.get(setup.provider):
            found = calc_price(sample, setup.model, provider_id=listed)
        else:
            found = calc_price(sample, setup.model, provider_api_url=setup.base_url)
    except (LookupError, ValueError):
        return None
    return Price(_micro(found.input_price), _micro(found.output_price))


def on_loopback(url: str) -> bool:
    """Whether a URL is on the loopback interface."""
    return (urlsplit(url).hostname or "") in _LOOPBACK


def _micro(dollars: Decimal) -> int:
    return int((Decimal(dollars) * _SCALE).to_integral_value(ROUND_CEILING))
