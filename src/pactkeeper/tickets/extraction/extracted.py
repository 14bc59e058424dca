"""What was made of a message."""

from __future__ import annotations

from dataclasses import dataclass

from pactkeeper.intent.ticket import Said
from pactkeeper.intent.ticket_patch import DraftPatch


@dataclass(frozen=True, slots=True)
class Extracted:
    """The changes that a message makes, the questions (by id) that it answers, and the words that nothing marks.

    `doubts` say which reply could not be taken, and why.
    """

    patches: tuple[DraftPatch, ...] = ()
    answered: tuple[str, ...] = ()
    unplaced: tuple[Said, ...] = ()
    doubts: tuple[str, ...] = ()
