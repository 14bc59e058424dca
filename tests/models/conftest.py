import asyncio
from dataclasses import dataclass, field, replace

import pytest

from pactkeeper.ledger.answering import Budget, BudgetLimits, Prompt, Reply
from pactkeeper.ledger.model import UNCAPPED, KeptAnswer, ModelCall, ModelSetup, Price, Provider
from pactkeeper.ledger.shape import Choice, Items, Keyed, Text
from pactkeeper.models.asking import ModelAsker, Records
from pactkeeper.models.pace import Pace
from tests.models.servers import scripted

SHAPE = Keyed({"intent": Text(1, 60), "category": Choice(("security", "functional")), "quotes": Items(Text(1), 1)})
GOOD = {"intent": "A login is refused.", "category": "security", "quotes": ["assert x"]}
PLENTY = BudgetLimits(model_calls=1_000, tokens=UNCAPPED, money=UNCAPPED)


def prompt(number=1, shape=SHAPE, **fields):
    made = Prompt(f"qu-{number}", "word_test", "word_test/1", "Say what it does.", f"def test_{number}(): ...", shape)
    return replace(made, **fields)


@dataclass
class Desk:
    """An asker with all that it left behind."""

    asker: ModelAsker
    kept: dict[str, KeptAnswer] = field(default_factory=dict)
    calls: list[ModelCall] = field(default_factory=list)
    slept: list[float] = field(default_factory=list)
    replies: list[Reply] = field(default_factory=list)

    def ask(self, *prompts, check=lambda _prompt, _value: (), limits=PLENTY, keep=None):
        """Ask, and give the replies in the order of the prompts."""
        self.replies.clear()
        self.outcome = asyncio.run(
            self.asker.ask(prompts, check=check, keep=keep or self.replies.append, budget=Budget(limits))
        )
        return sorted(self.replies, key=lambda reply: prompts.index(reply.prompt))


def desk_of(url, dialect="openai", key="", **fields):
    """An asker of a server, whose waiting takes no time."""
    provider: Provider = "anthropic" if dialect == "anthropic" else "openai-compatible"
    structured = "tool" if dialect == "anthropic" else "schema"
    given = {"structured": structured, "price": Price(3_000_000, 15_000_000), "timeout": 5, **fields}
    setup = ModelSetup(provider, "scripted", url, "SCRIPTED_KEY" if key else "", **given)
    slept: list[float] = []
    time = [0.0]

    async def sleep(seconds):
        slept.append(seconds)
        time[0] += seconds

    desk = Desk(ModelAsker(setup, key))
    records = Records(
        lambda keys, *_whose: {one: desk.kept[one] for one in keys if one in desk.kept},
        lambda answer: desk.kept.update({answer.key: answer}),
        desk.calls.append,
    )
    desk.slept = slept
    desk.asker = ModelAsker(setup, key, records, run="REC-1", pace=lambda: Pace(sleep, lambda: 0.0, lambda: time[0]))
    return desk


@pytest.fixture(params=["openai", "anthropic"])
def dialect(request):
    return request.param


@pytest.fixture
def serve(dialect, request):
    """Start a scripted server and give it with an asker of it."""
    stack = []

    def start(script, **fields):
        context = scripted(dialect, script)
        server = context.__enter__()
        stack.append(context)
        return server, desk_of(server.url, dialect, **fields)

    yield start
    for context in stack:
        context.__exit__(None, None, None)
