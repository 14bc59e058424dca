"""Text of a repository between two lines that it cannot contain, so that nothing in it can pass for what we say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pactkeeper.ledger.canonical import digest

BUDGET: Final = 12_000  # characters of material; about 3,000 tokens
SMALLEST: Final = 200
_LENGTH: Final = 16


@dataclass(frozen=True, slots=True)
class PromptSection:
    """One piece of material; `title` is ours, `text` the repository's, `most` how many characters it may use."""

    title: str
    text: str
    most: int = BUDGET


def fence_of(sections: Sequence[PromptSection]) -> str:
    """A mark that no section contains, the same for the same sections; it follows from a digest of all of them."""
    texts = [part for one in sections for part in (one.title, one.text)]
    salt = 0
    while True:
        mark = digest([salt, *texts]).removeprefix("v1:")[:_LENGTH]
        if not any(mark in text for text in texts):
            return mark
        salt += 1


def fitted(sections: Sequence[PromptSection], budget: int = BUDGET) -> tuple[PromptSection, ...]:
    """Cut sections to their own size and then, the last first, to the budget; what is cut says how much it was.

    Raises ValueError where the budget cannot hold anything.
    """
    if budget < SMALLEST:
        raise ValueError(f"material needs a budget of at least {SMALLEST} characters, not {budget!r}")
    kept: list[PromptSection] = []
    left = budget
    for one in sections:
        room = min(one.most, left)
        text = one.text if len(one.text) <= room else _cut(one.text, room)
        if text:
            kept.append(PromptSection(one.title, text, one.most))
        left = max(0, left - len(text))
    return tuple(kept)


def _cut(text: str, room: int) -> str:
    """The beginning of a text up to the end of a line, with the number of characters that are left out."""
    if room < SMALLEST // 2:
        return ""
    note = f"\n[{len(text)} characters, cut here]"
    head = text[: max(0, room - len(note))]
    whole, newline, _ = head.rpartition("\n")
    return (whole if newline and len(whole) > len(head) // 2 else head) + note
