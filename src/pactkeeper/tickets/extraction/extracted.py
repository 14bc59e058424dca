"""What rules made of a message."""

from __future__ import annotations

from dataclasses import dataclass

from pactkeeper.intent.ticket_patch import DraftPatch
from pactkeeper.tickets.extraction.spans import Span


@dataclass(frozen=True, slots=True)
class Extracted:
    """The changes that a message makes, the questions of ours that it replies to, and the words no rule could place.

    `answered` are ids of questions. `noise` says that nothing in the message is about the ticket.
    """

    patches: tuple[DraftPatch, ...] = ()
    answered: tuple[str, ...] = ()
    unplaced: tuple[Span, ...] = ()
    noise: bool = False
