"""Putting questions to something that answers many by itself: what it is shown, what it says, and what that costs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from pactkeeper.ledger.budget import Budget, Exceeded
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
