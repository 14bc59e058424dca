"""Words of people that neither rules nor a model could place: they are in no draft, and people are told so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from pactkeeper.intent.thread_event import Blocker
from pactkeeper.intent.ticket import ThreadMessage
from pactkeeper.intent.ticket_patch import DraftPatch

MOST: Final = 3
_LONGEST: Final = 120


@dataclass(frozen=True, slots=True)
class LeftOver:
    """A message with those of its words that have no place in the draft."""

    message: ThreadMessage
    words: tuple[str, ...]


def without_placed(left: Sequence[LeftOver], patches: Sequence[DraftPatch]) -> tuple[LeftOver, ...]:
    """What is left once a model has placed some of it."""
    return tuple(kept for one in left if (kept := _rest(one, patches)).words)


def _rest(one: LeftOver, patches: Sequence[DraftPatch]) -> LeftOver:
    quotes = [patch.said.quote for patch in patches if patch.said.message == one.message.id]
    words = (text for text in one.words if not any(text in quote or quote in text for quote in quotes))
    return LeftOver(one.message, tuple(words))


def told(left: Sequence[LeftOver]) -> tuple[Blocker, ...]:
    """That these words are in no draft, and what to do about it; the first ones stand for many."""
    return tuple(Blocker("warning", line) for line in _lines(left))


def told_since(left: Sequence[LeftOver]) -> tuple[str, ...]:
    """That these words came after a preview and are in no draft; the first ones stand for many."""
    said = [f"{_cut(text)!r} ({one.message.author})" for one in left for text in one.words]
    lines = tuple(f"- said after the preview and in no draft: {words}" for words in said[:MOST])
    return (*lines, f"- and {len(said) - MOST} more: see pk thread show") if len(said) > MOST else lines


def _lines(left: Sequence[LeftOver]) -> Iterator[str]:
    said = [(one.message.author, text) for one in left for text in one.words]
    for author, text in said[:MOST]:
        yield (
            f"not in the draft, since it does not say what it is about: {_cut(text)!r} ({author}); "
            "say it again under a name, such as Problem, AC, Constraint or Risk"
        )
    more = len(said) - MOST
    if more > 0:
        yield "nor is one more sentence" if more == 1 else f"nor are {more} more sentences"


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
