"""Where a thread stands between two runs, what each step of a run did and why, and what became of its tickets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Literal, cast

from pactkeeper.intent.ticket import Loose, Phase
from pactkeeper.intent.ticket_text import read_loose
from pactkeeper.ledger.canonical import JsonValue, plain

# What the last run came to: a question, a preview, the gaps without a question, a ticket, or nothing to say.
Outcome = Literal["none", "ask", "preview", "gaps", "created", "failed", "stale", "halted"]
# One that is reserved may have been written: it is looked for before anything is written again.
TicketState = Literal["reserved", "created", "failed"]
# What an approval brings about, each step kept when it is done: whoever comes next goes on with the first that is not.
Effect = Literal["ticket", "criteria", "constraints", "announcement"]
EFFECTS: Final[tuple[Effect, ...]] = ("ticket", "criteria", "constraints", "announcement")


@dataclass(frozen=True, slots=True)
class ThreadState:
    """Where a thread stands: what its last run came to, and what people were shown last.

    `read` is the last run whose messages are in the draft, `concluded` the last one that came to its end, and `known`
    the version of the draft at that end. `shown` and `version` are the hash and version of the draft in the last
    preview that may be approved, `preview` the key of that post; empty and 0 where there is none. `unanswered` counts
    the rounds of questions since anything changed. `loose` are all words of the thread that nothing marks.
    """

    read: int = 0
    concluded: int = 0
    known: int = 0
    outcome: Outcome = "none"
    phase: Phase = "COLLECTING"
    reason: str = ""
    shown: str = ""
    version: int = 0
    preview: str = ""
    unanswered: int = 0
    loose: tuple[Loose, ...] = ()


@dataclass(frozen=True, slots=True)
class ThreadStep:
    """One step of one run: which node ran, why, and what changed; `at` is ISO 8601 with offset."""

    run: int
    node: str
    at: str
    milliseconds: int
    reason: str = ""
    changed: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Ticket:
    """A ticket that a person approved: `key` names it on its board for good, `hash` is the draft that was approved.

    `target` is its id on the board, `seen` the version of it that was read back. `criteria` holds by the words of each
    criterion the atom that stands for it in the pact; `error` says why the ticket could not be written. `done` lists
    what an approval has brought about so far, in the order of `EFFECTS`.
    """

    thread: str
    key: str
    hash: str
    version: int
    approved_by: str
    at: str
    state: TicketState = "reserved"
    board: str = ""
    target: str = ""
    url: str = ""
    seen: str = ""
    error: str = ""
    criteria: Mapping[str, str] = field(default_factory=dict)
    done: tuple[Effect, ...] = ()

    @property
    def missing(self) -> tuple[Effect, ...]:
        """What a ticket that is written still lacks."""
        return tuple(one for one in EFFECTS if one not in self.done) if self.state == "created" else ()


def document_of(value: ThreadState | ThreadStep | Ticket) -> dict[str, JsonValue]:
    """A value of this module as a mapping by the names of its fields."""
    return cast("dict[str, JsonValue]", plain(asdict(value)))


def read_state(document: Mapping[str, Any]) -> ThreadState:
    """Read what `document_of` made of a state."""
    return ThreadState(**{**document, "loose": tuple(read_loose(one) for one in document.get("loose", ()))})


def read_ticket(document: Mapping[str, Any]) -> Ticket:
    """Read what `document_of` made of a ticket; one that says nothing of steps was kept when all were done at once."""
    return Ticket(**{**document, "done": tuple(document.get("done", EFFECTS))})
