"""What a person types to answer a question."""

from __future__ import annotations

from collections.abc import Mapping
from shlex import quote
from typing import Final

from pactkeeper.ledger.question import Question

_BY_HAND: Final[Mapping[str, str]] = {
    "word_test": "--intent '…'",
    "better_words": "--intent '…' --outcome '…'",
    "realises": "--yes   (or --no)",
    "confirm": "--yes   (or --no)",
    "choose": "--choose OPTION",
    "contradiction": "--choose contradict   (or repeat, compatible, unsure)",
}
_IN_JSON: Final = "--answer '{…}'"


def answer_command(one: Question) -> str:
    """The command that answers a question."""
    return f"pk questions answer {quote(one.subject)} {_BY_HAND.get(one.kind, _IN_JSON)}"
