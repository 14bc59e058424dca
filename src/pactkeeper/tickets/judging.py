"""What the flow asks of the rules for drafts: read messages, place what is left, judge, and decide what to do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from pactkeeper.intent.thread_event import Blocker
from pactkeeper.intent.ticket import Ask, Draft, Phase, ThreadMessage
from pactkeeper.intent.ticket_patch import DraftPatch
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.tickets.extraction.reading import Reading

Decision = Literal["ask", "preview", "gaps", "execute"]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What is to be done about a draft and why; `facts` are what the reason rests on, for the trace.

    `blockers` are shown with a preview, errors first. A preview is `approvable` where nothing
    keeps it from being a ticket.
    """

    decided: Decision
    reason: str
    phase: Phase
    asks: tuple[Ask, ...] = ()
    blockers: tuple[Blocker, ...] = ()
    approvable: bool = False
    facts: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Consulted:
    """What a model's answer changes, and why the rest of it was refused."""

    patches: tuple[DraftPatch, ...] = ()
    refused: tuple[str, ...] = ()


Consult = Callable[[Draft, Sequence[ThreadMessage], Sequence[ThreadMessage]], Consulted | None]
"""A model: the draft, the whole thread, and those of its messages with words to place."""


class Rules(Protocol):
    """Reads and judges drafts; a model may be behind `consult`, and only there."""

    def counts(self, author: str) -> bool:
        """Whether somebody's words change drafts, and whether they may place words and approve."""

    def read(self, draft: Draft, message: ThreadMessage, asks: Sequence[Ask]) -> Reading:
        """What a message says, by rules alone."""

    def consult(
        self, draft: Draft, thread: Sequence[ThreadMessage], unplaced: Sequence[ThreadMessage]
    ) -> Consulted | None:
        """What a model makes of messages with words that no rule could place; None where no model is set up."""

    def judge(self, draft: Draft, *, unanswered: int, approved: bool) -> Judgement:
        """What is wrong with a draft and what to do; `unanswered` counts rounds of questions that nobody answered."""
