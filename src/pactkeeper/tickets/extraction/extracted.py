"""What was made of a message."""

from __future__ import annotations

from dataclasses import dataclass

from pactkeeper.intent.ticket import Loose, PlacedValue, ThreadMessage
from pactkeeper.intent.ticket_patch import DraftPatch
from pactkeeper.speech.spans import Span, clean


@dataclass(frozen=True, slots=True)
class Reading:
    """The changes that a message makes, the questions (by id) that it answers, and the words that nothing marks.

    Those have no numbers yet. `doubts` say which reply could not be taken, and why.
    """

    patches: tuple[DraftPatch, ...] = ()
    answered: tuple[str, ...] = ()
    unplaced: tuple[Loose, ...] = ()
    doubts: tuple[str, ...] = ()


def said(message: ThreadMessage, whole: Span, value: str = "") -> PlacedValue:
    """What a span says: `value`, or its own words without markup; the quote is always the span itself."""
    return PlacedValue(value or clean(whole.text), message.author, message.id, message.permalink, whole.text)
