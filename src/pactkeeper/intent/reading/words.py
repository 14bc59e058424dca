"""A word of a sentence with what it does there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pactkeeper.intent.reading.tokens import Token
from pactkeeper.intent.reading.verbs import Form

Tag = Literal[
    "noun",
    "verb",
    "be",
    "have",
    "do",
    "modal",
    "not",
    "to",
    "adj",
    "adv",
    "det",
    "pron",
    "prep",
    "sub",  # opens a condition, a time or a reason
    "rel",  # opens a relative clause
    "coord",
    "num",
    "lit",  # a quotation or a name from code
    "mark",
]


@dataclass(frozen=True, slots=True)
class Word:
    """A token with what it does; `form` and `base` are of verbs."""

    token: Token
    tag: Tag
    form: Form | None = None
    base: str = ""

    @property
    def lower(self) -> str:
        """The word in lower case."""
        return self.token.lower


def said(text: str, words: Sequence[Word]) -> str:
    """The text from the first to the last of some words, as it was written; empty where there are none."""
    return text[words[0].token.start : words[-1].token.end] if words else ""
