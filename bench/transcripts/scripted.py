"""A scripted model: it marks what the labels name, with a configurable error rate.

It shows that the way from a model's marks to artifacts and actions holds, with a model's usual faults in it: what it
overlooks, what it takes for more than it is, lines that are not there. How good a real model is, it does not show.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from bench.transcripts.labels import Wanted
from pactkeeper.ledger.answering import Budget, BudgetLimits, Check, Estimate, Prompt, Reply, Usage
from pactkeeper.ledger.canonical import JsonValue, digest
from pactkeeper.ledger.question import MARKABLE
from pactkeeper.store.conversations import list_conversations
from pactkeeper.store.history import History
from pactkeeper.transcripts.marking import MarkedPassage, Marker, Marking, entries_of, pieces

OVERLOOKS: Final = 6  # one label in six
INVENTS: Final = 8  # in one piece of eight, a work product that is none
STRAYS: Final = 10  # in one piece of ten, a line that is not there


@dataclass(frozen=True, slots=True)
class ScriptedModel:
    """Answers by labels; `shown` gives the passages of a question."""

    wanted: Sequence[Wanted]
    shown: Mapping[str, tuple[MarkedPassage, ...]]
    name: str = "scripted:labels"

    def estimate(self, prompts: Sequence[Prompt]) -> Estimate:
        """It costs nothing."""
        return Estimate(len(prompts), 0, Usage())

    async def ask(
        self, prompts: Sequence[Prompt], *, check: Check, keep: Callable[[Reply], None], budget: Budget
    ) -> Budget:
        """Answer each at once."""
        for prompt in prompts:
            value = self._marks(self.shown[prompt.question])
            wrong = check(prompt, value)
            keep(Reply(prompt, "objected" if wrong else "answered", self.name, value, wrong))
        return budget

    def _marks(self, passages: tuple[MarkedPassage, ...]) -> JsonValue:
        found = [
            _mark(one.type, one.name, passage, _lines(passage, one.span[2], one.span[3]))
            for passage in passages
            for one in self.wanted
            if one.type in MARKABLE
            and one.span[:2] == (passage.entry.uuid, passage.block)
            and not _one_in(OVERLOOKS, one.name)
        ]
        first = passages[0]
        seed = first.lines[0] + first.entry.uuid
        if _one_in(INVENTS, seed):
            found.append(_mark("plan", "What was asked", first, (1, 1)))
        if _one_in(STRAYS, seed):
            found.append(_mark("analysis", "More of it", first, (1, len(first.lines) + 3)))
        return found


def _one_in(number: int, seed: str) -> bool:
    return int(digest([number, seed])[3:11], 16) % number == 0


def _lines(passage: MarkedPassage, first: int, last: int) -> tuple[int, int]:
    text = passage.entry.blocks[passage.block].text
    return text.count("\n", 0, first) + 1, text.count("\n", 0, last) + 1


def _mark(kind: str, title: str, passage: MarkedPassage, lines: tuple[int, int]) -> JsonValue:
    span: JsonValue = {"entry": passage.number, "first_line": lines[0], "last_line": lines[1]}
    return {"type": kind, "title": title, "spans": [span]}


def mark_all(history: History, wanted: Sequence[Wanted], now: str) -> Marking:
    """Have every conversation of a history marked."""
    shown = {
        piece.question.id: piece.passages
        for stored in list_conversations(history)
        for piece in pieces(entries_of(stored.conversation, until=stored.bookmark.offset))
    }
    marker = Marker(history, ScriptedModel(wanted, shown), Budget(BudgetLimits()), lambda: now)
    for stored in list_conversations(history):
        asyncio.run(marker.mark(stored))
    return marker.total
