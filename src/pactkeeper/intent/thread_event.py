"""Events from a thread's channel and posts to it, as values that each channel converts to its own format.

Also where a thread stands between two runs, what each step of a run did and why, and the state of its tickets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, get_args

from pactkeeper.intent.ticket import (
    Ask,
    Choice,
    Draft,
    Loose,
    Phase,
    ThreadMessage,
    draft_document,
    read_draft,
    read_loose,
)
from pactkeeper.ledger.canonical import JsonValue, fields_of, from_fields

# `mention` is a message that addresses us by name; `approve` and `changes` are a person's verdict on a preview; `place`
# says where unplaced words belong: `2=problem 3,4=criterion 5=drop`.
EventKind = Literal["message", "mention", "answer", "approve", "changes", "place"]
EVENT_KINDS: Final[tuple[EventKind, ...]] = get_args(EventKind)
# Kinds that are handled at once instead of being batched with others.
AT_ONCE: Final[frozenset[EventKind]] = frozenset({"mention", "answer", "approve", "changes", "place"})
PostKind = Literal["questions", "preview", "gaps", "created", "failed", "stale", "reminder", "note"]


@dataclass(frozen=True, slots=True)
class ThreadEvent:
    """One event in a thread; `id` is the channel's own and never identifies two events.

    `sequence` is its position among the thread's events in the channel, greater than that of earlier ones; 0 if the
    channel has no order, and then the event is the next one. `at` is ISO 8601 with offset. `shown` and `version` are
    the hash and version of the draft that an approval was about, `ask` the question that an answer belongs to. `edits`
    is the message that this is a later version of; its own id starts with that one and a colon.
    """

    id: str
    thread: str
    kind: EventKind
    author: str
    at: str
    text: str = ""
    sequence: int = 0
    permalink: str = ""
    shown: str = ""
    version: int = 0
    ask: str = ""
    bot: bool = False
    edits: str = ""


@dataclass(frozen=True, slots=True)
class Blocker:
    """A reason, in words, why a draft cannot be a ticket (an `error`) or should be reconsidered."""

    severity: Literal["error", "warning", "info"]
    text: str


@dataclass(frozen=True, slots=True)
class Post:
    """A message to a thread, posted once; `key` is unique among all posts to the thread's channel.

    `text` is the full content in Markdown, for channels that support nothing better. A preview has its draft, whose
    hash and version a click must carry; `approvable` says whether it may be approved as is. `to` is the one person it
    is for, empty for everybody; `instead` the key of an earlier post that it replaces. `unplaced` are unmarked words,
    to be placed by whoever knows.
    """

    key: str
    thread: str
    kind: PostKind
    text: str
    asks: tuple[Ask, ...] = ()
    draft: Draft | None = None
    blockers: tuple[Blocker, ...] = ()
    approvable: bool = False
    to: str = ""
    url: str = ""
    instead: str = ""
    unplaced: tuple[Loose, ...] = ()


def read_event(document: Mapping[str, Any]) -> ThreadEvent:
    """Parse what `fields_of` wrote; raises ValueError for an unknown kind."""
    if document.get("kind") not in EVENT_KINDS:
        raise ValueError(f"{document.get('kind')!r} is not a kind of event; there are {', '.join(EVENT_KINDS)}")
    return ThreadEvent(**document)


def post_document(post: Post) -> dict[str, JsonValue]:
    """Return a post as a mapping of its fields."""
    return {
        **fields_of(replace(post, draft=None)),
        "draft": None if post.draft is None else draft_document(post.draft),
        "blockers": [[one.severity, one.text] for one in post.blockers],
    }


def read_post(document: Mapping[str, Any]) -> Post:
    """Parse what `post_document` wrote."""
    draft = document["draft"]
    return Post(
        **{
            **document,
            "asks": tuple(from_fields(Ask, one) for one in document["asks"]),
            "draft": None if draft is None else read_draft(draft),
            "blockers": tuple(Blocker(*one) for one in document["blockers"]),
            "unplaced": tuple(read_loose(one) for one in document.get("unplaced", ())),
        }
    )


# The result of the last run: a question, a preview, gaps without a question, a ticket, or nothing.
Outcome = Literal["none", "ask", "preview", "gaps", "created", "failed", "stale", "halted"]
# A reserved ticket may already have been written: look for it before writing anything again.
TicketState = Literal["reserved", "created", "failed"]
# The effects of an approval, each recorded when done, so that whoever continues starts with the first that is missing.
Effect = Literal["ticket", "criteria", "constraints", "announcement"]
EFFECTS: Final[tuple[Effect, ...]] = get_args(Effect)


@dataclass(frozen=True, slots=True)
class ThreadState:
    """Where a thread stands: the result of its last run, and what people were shown last.

    `read` is the last run whose messages are in the draft, `concluded` the last one that completed, and `known` the
    version of the draft at that point. `shown` and `version` are the hash and version of the draft in the last preview
    that may be approved, `preview` the key of that post; empty and 0 if there is none. `unanswered` counts the rounds
    of questions since anything changed. `loose` are all unmarked words of the thread.
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


TICKET_KEY: Final = "thread-"  # what the key of every ticket begins with
OPEN_QUESTIONS: Final = "Open questions"  # the heading of what nobody had answered when a ticket was written


@dataclass(frozen=True, slots=True)
class Ticket:
    """A ticket that a person approved: `key` identifies it on its board, `hash` is the draft that was approved.

    `target` is its id on the board, `seen` the version of it that was read back. `criteria` maps the words of each
    criterion to the atom that represents it in the pact; `error` says why the ticket could not be written. `done` lists
    the completed effects of the approval, in the order of `EFFECTS`. `told` is what a later version changed in the
    ticket, line by line, and `notes` are other remarks for people; both are kept until they are posted to the thread.
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
    told: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def missing(self) -> tuple[Effect, ...]:
        """The effects that a written ticket still lacks."""
        return tuple(one for one in EFFECTS if one not in self.done) if self.state == "created" else ()


def read_state(document: Mapping[str, Any]) -> ThreadState:
    """Parse what `fields_of` made of a state."""
    return ThreadState(**{**document, "loose": tuple(read_loose(one) for one in document.get("loose", ()))})


def read_ticket(document: Mapping[str, Any]) -> Ticket:
    """Parse what `fields_of` made of a ticket; without `done`, it dates from when all effects happened at once."""
    lists = {name: tuple(document.get(name, ())) for name in ("told", "notes")}
    return Ticket(**{**document, "done": tuple(document.get("done", EFFECTS)), **lists})


# The button texts of a conflict; for `amend` a person writes their own words.
BUTTONS: Final[Mapping[Choice, str]] = {"keep_a": "keep the first", "keep_b": "keep the second", "both": "both"}


def messages_of(events: Sequence[ThreadEvent], *, after: int) -> tuple[ThreadMessage, ...]:
    """The messages among events, numbered from `after` + 1; approvals and placings aren't messages."""
    return tuple(_message(one, number) for number, one in enumerate(filter(text_of, events), after + 1))


def _message(event: ThreadEvent, number: int) -> ThreadMessage:
    addressed = event.kind == "answer" or bool(event.ask)
    return ThreadMessage(
        event.id,
        event.thread,
        event.author,
        event.at,
        text_of(event),
        event.permalink,
        sequence=number,
        bot=event.bot or event.author.endswith("[bot]"),
        addressed=addressed,
    )


def text_of(event: ThreadEvent) -> str:
    """What somebody said, as a button says it if it is a choice; empty for an approval or a placing."""
    if event.kind in {"approve", "place"}:
        return ""
    text = event.text.strip()
    return next((words for choice, words in BUTTONS.items() if text == choice), text)
