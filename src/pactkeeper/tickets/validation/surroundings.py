"""What a draft is held against besides itself."""

from __future__ import annotations

from dataclasses import dataclass

from pactkeeper.intent.board import Task
from pactkeeper.intent.pact import Pact
from pactkeeper.intent.ticket import AcceptedConstraint, DraftTitle


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Constraints that other threads left, titles of drafts, tickets that are open, and the pact where there is one.

    `drafts` and `constraints` never hold those of the thread itself; `own` are the ids of its ticket and of the atoms
    that stand for its criteria.
    """

    constraints: tuple[AcceptedConstraint, ...] = ()
    drafts: tuple[DraftTitle, ...] = ()
    tickets: tuple[Task, ...] = ()
    pact: Pact | None = None
    own: frozenset[str] = frozenset()


NOTHING = Surroundings()
