"""What comes from the channel of a thread, and what is said there: values that each channel turns into its own form.

Where a thread stands between two runs, what each step of a run did and why, and what became of its tickets.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Literal, cast, get_args

from pactkeeper.intent.ticket import Ask, Draft, Loose, Phase
from pactkeeper.intent.ticket_text import draft_document, encode, read_ask, read_draft, read_loose
from pactkeeper.ledger.canonical import JsonValue, plain

# `mention` is a message that calls for us by name; `approve` and `changes` are a person's word on a preview; `place`
# says where unplaced words belong: `2=problem 3,4=criterion 5=drop`.
EventKind = Literal["message", "mention", "answer", "approve", "changes", "place"]
EVENT_KINDS: Final[tuple[EventKind, ...]] = get_args(EventKind)
# What need not wait for others of its kind before it is taken up.
AT_ONCE: Final[frozenset[EventKind]] = frozenset({"mention", "answer", "approve", "changes", "place"})
PostKind = Literal["questions", "preview", "gaps", "created", "failed", "stale", "reminder", "note"]


@dataclass(frozen=True, slots=True)
class ThreadEvent:
    """One thing that happened in a thread; `id` is the channel's own and never stands for two things.

    `sequence` is its place among the thread's events as the channel has it, greater than that of what came before; 0
    where the channel has no order, and then it is the next. `at` is ISO 8601 with offset. `shown` and `version` are
    the hash and version of the draft that an approval was about, `ask` the question that an answer is to.
    `edits` is the message of which this is a later form; its own id begins with that one and a colon.
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
    """What keeps a draft from being a ticket or speaks against it, in words; an `error` keeps it."""

    severity: Literal["error", "warning", "info"]
    text: str


@dataclass(frozen=True, slots=True)
class Post:
    """One thing that is said in a thread, once; `key` names it among all that the thread's channel was ever told.

    `text` says all of it in Markdown, for channels that have nothing better. A preview has its draft, whose hash and
    version a click has to carry; `approvable` says whether it may be approved as it is. `to` is the one person that it
    is for, empty for everybody; `instead` the key of an earlier post whose place it takes. `unplaced` are words that
    nothing marks, to be placed by whoever knows.
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


def event_document(event: ThreadEvent) -> dict[str, JsonValue]:
    """An event as a mapping by the names of its fields."""
    return cast("dict[str, JsonValue]", plain(asdict(event)))


def read_event(document: Mapping[str, Any]) -> ThreadEvent:
    """Read what `event_document` wrote; raises ValueError for a kind that there is none of."""
    if document.get("kind") not in EVENT_KINDS:
        raise ValueError(f"{document.get('kind')!r} is no kind of event; there are {', '.join(EVENT_KINDS)}")
    return ThreadEvent(**document)


def post_document(post: Post) -> dict[str, JsonValue]:
    """A post as a mapping by the names of its fields."""
    return {
        "key": post.key,
        "thread": post.thread,
        "kind": post.kind,
        "text": post.text,
        "asks": [encode(one) for one in post.asks],
        "draft": None if post.draft is None else draft_document(post.draft),
        "blockers": [[one.severity, one.text] for one in post.blockers],
        "approvable": post.approvable,
        "to": post.to,
        "url": post.url,
        "instead": post.instead,
        "unplaced": [encode(one) for one in post.unplaced],
    }


def read_post(document: Mapping[str, Any]) -> Post:
    """Read what `post_document` wrote."""
    draft = document["draft"]
    return Post(
        **{
            **document,
            "asks": tuple(read_ask(one) for one in document["asks"]),
            "draft": None if draft is None else read_draft(draft),
            "blockers": tuple(Blocker(*one) for one in document["blockers"]),
            "unplaced": tuple(read_loose(one) for one in document.get("unplaced", ())),
        }
    )


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
    what an approval has brought about so far, in the order of `EFFECTS`. `told` is what a later version changed in the
    ticket, line by line, and `notes` are what else people should know; both are kept until the thread is told.
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
    lists = {name: tuple(document.get(name, ())) for name in ("told", "notes")}
    return Ticket(**{**document, "done": tuple(document.get("done", EFFECTS)), **lists})
