"""What was made of a message."""

from __future__ import annotations

from dataclasses import dataclass

from pactkeeper.intent.ticket import Said
from pactkeeper.intent.ticket_patch import DraftPatch


@dataclass(frozen=True, slots=True)
class Extracted:
    """The changes that a message makes, the questions (by id) that it answers, and the words that nothing marks.

    `changes` are those of the unplaced words that change the draft in a way that is not clear: a correction of nothing
    that stands there. `doubts` say which reply could not be taken, and why.
    """

    patches: tuple[DraftPatch, ...] = ()
    answered: tuple[str, ...] = ()
    unplaced: tuple[Said, ...] = ()
    changes: tuple[Said, ...] = ()
    doubts: tuple[str, ...] = ()
