"""Conversations with coding agents as values: who said what, where it is in a file, how far it was read, what is known.

Also artifacts: what a conversation produced, as spans copied from it by a program, with what is known about them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, get_args

from pactkeeper.ledger.canonical import JsonValue, digest

# `summary` is what a model wrote to replace earlier records, `meta` what a program said on somebody's behalf.
Role = Literal["user", "assistant", "tool", "system", "summary", "meta"]
ROLES: Final[tuple[Role, ...]] = get_args(Role)
BlockKind = Literal["text", "thinking", "call", "result", "other"]
ConversationKind = Literal["main", "subagent"]


@dataclass(frozen=True, slots=True)
class RecordPlace:
    """The bytes of a file that hold one record, from `start` up to but not including `end`."""

    file: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Block:
    """One part of an entry; spans count characters in its `text`.

    A call's text is the command that it runs, or its arguments as JSON if there is none; a result's text is what came
    back. `call` pairs the two. `arguments` is a call's JSON; `failed` is what the record itself says about a result,
    None if it says nothing.
    """

    kind: BlockKind
    text: str
    call: str = ""
    tool: str = ""
    arguments: str = ""
    failed: bool | None = None


@dataclass(frozen=True, slots=True)
class ConversationEntry:
    """One record of a conversation; `uuid` is the same in every file that replays it.

    `at` is the source's own ISO 8601 time, empty if it has none. On a sidechain the agent talks to itself, so text
    there under `user` was not said by a person.
    """

    uuid: str
    parent: str
    role: Role
    at: str
    blocks: tuple[Block, ...]
    place: RecordPlace
    cwd: str = ""
    branch: str = ""
    sidechain: bool = False

    @property
    def by_person(self) -> bool:
        """Whether a person said it, not a tool, a program, a summary or another agent."""
        return self.role == "user" and not self.sidechain


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call and its result, by their entries and block positions; None if there is no result."""

    entry: ConversationEntry
    block: int
    result_entry: ConversationEntry | None = None
    result_block: int = 0

    @property
    def call(self) -> Block:
        """The block of the call."""
        return self.entry.blocks[self.block]

    @property
    def result(self) -> Block | None:
        """The block of the result, or None."""
        return None if self.result_entry is None else self.result_entry.blocks[self.result_block]


@dataclass(frozen=True, slots=True)
class Gap:
    """Bytes of a file that could not be read as a record, with the reason; they prove nothing."""

    start: int
    end: int
    reason: str


@dataclass(frozen=True, slots=True)
class Conversation:
    """One file of a conversation; a session may have several: its own, those of its subagents, and forks."""

    source: str
    file: str
    session: str
    kind: ConversationKind = "main"
    cwd: str = ""
    branch: str = ""
    started_at: str = ""

    @property
    def id(self) -> str:
        """Stable for the same file, whatever is written to it."""
        return "cv-" + digest(["conversation", self.file])[3:15]


@dataclass(frozen=True, slots=True)
class Bookmark:
    """How far the file of a conversation was read and stored.

    `uuid` is the last record before `offset`. `inode`, `size`, `head` (digest of the first `head_length` bytes) and
    `tail` (digest of the bytes just before `offset`) distinguish a file that grew from one that was replaced. `context`
    are the byte ranges of earlier records that the next ones may refer to.
    """

    offset: int = 0
    uuid: str = ""
    inode: str = ""
    size: int = 0
    head: str = ""
    head_length: int = 0
    tail: str = ""
    context: tuple[tuple[int, int], ...] = ()


def pair(entries: tuple[ConversationEntry, ...]) -> tuple[ToolCall, ...]:
    """Pair every call with its result, in the order of the calls; results without a call are left out.

    A repeated result counts once, as first given.
    """
    results: dict[str, tuple[ConversationEntry, int]] = {}
    for entry in entries:
        for position, block in enumerate(entry.blocks):
            if block.kind == "result" and block.call:
                results.setdefault(block.call, (entry, position))
    found: dict[str, ToolCall] = {}
    for entry in entries:
        for position, block in enumerate(entry.blocks):
            if block.kind == "call" and block.call not in found:
                key = block.call or f"{entry.uuid}:{position}"
                back = results.get(block.call)
                found[key] = ToolCall(entry, position, *back) if back else ToolCall(entry, position)
    return tuple(found.values())


ArtifactType = Literal[
    "plan", "analysis", "framework", "error_pattern", "decision_with_context", "commitment_update", "event",
    "statement", "remark",
]  # fmt: skip
ARTIFACT_TYPES: Final[tuple[ArtifactType, ...]] = get_args(ArtifactType)
Value = Literal["very_high", "medium", "low"]
Persistence = Literal["not_persisted", "partial", "persisted"]
PERSISTENCES: Final[tuple[Persistence, ...]] = get_args(Persistence)
MESSAGE: Final = "message"  # the fact that holds the whole message around a person's word on a task
Change = Literal["reschedule", "completion", "new"]

# Joins the spans of an artifact's content.
BETWEEN: Final = "\n\n"


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A span of one block of one entry, with its exact text.

    `first` and `last` are character offsets into the block's text, with `last` exclusive; an empty span names an entry
    whose presence is the evidence. `at` is the entry's time.
    """

    place: RecordPlace
    entry: str
    block: int
    first: int
    last: int
    at: str
    text: str


@dataclass(frozen=True, slots=True)
class CommitmentUpdate:
    """What was said about something a person means to do; `target` is in the speaker's own words."""

    target: str
    change: Change


@dataclass(frozen=True, slots=True)
class Signals:
    """How strong the signal for an artifact is and how explicitly it was given, each from 0 to 100.

    Recency is the artifact's time, and corroboration the number of conversations that show it; both change without the
    artifact and come from the store.
    """

    strength: int
    explicitness: int


@dataclass(frozen=True, slots=True)
class Artifact:
    """One work product of a conversation, in the words of its excerpts only.

    `identity` is what makes two artifacts of a type the same: the call's id for an event, the normalised content for
    anything else. `facts` are read from the excerpts by rules; `evidence` says what shows that it was persisted.
    """

    type: ArtifactType
    title: str
    excerpts: tuple[Excerpt, ...]
    signals: Signals
    value: Value
    identity: str
    summary: str = ""
    domain: str = ""
    entities: tuple[str, ...] = ()
    persistence: Persistence = "not_persisted"
    evidence: str = ""
    update: CommitmentUpdate | None = None
    facts: Mapping[str, JsonValue] = field(default_factory=dict)

    @property
    def fingerprint(self) -> str:
        """Stable when the conversation is read again, forked or resumed."""
        return "fp-" + digest([self.type, self.identity])[3:35]

    @property
    def id(self) -> str:
        """A short name for the fingerprint."""
        return "ar-" + self.fingerprint[3:15]

    @property
    def at(self) -> str:
        """When its last part was said, as the source writes it; empty if the source has no times."""
        return self.excerpts[-1].at

    @property
    def file(self) -> str:
        """The file that contains its last part."""
        return self.excerpts[-1].place.file


def content(artifact: Artifact) -> str:
    """Return the artifact verbatim: the texts of its excerpts in order; one that only names an entry has no text."""
    return BETWEEN.join(excerpt.text for excerpt in artifact.excerpts if excerpt.text)


def excerpt(entry: ConversationEntry, block: int, first: int, last: int) -> Excerpt:
    """Copy a span out of an entry; raises ValueError if it is outside the block's text."""
    text = entry.blocks[block].text
    if not 0 <= first <= last <= len(text):
        raise ValueError(f"block {block} of entry {entry.uuid!r} has {len(text)} characters, not {first}..{last}")
    return Excerpt(entry.place, entry.uuid, block, first, last, entry.at, text[first:last])


def identity_of(text: str) -> str:
    """Return a digest that ignores white space and letter case."""
    return digest(" ".join(text.split()).casefold())


ItemKind = Literal["fact", "entity", "relation", "decision"]
ITEM_KINDS: Final[tuple[ItemKind, ...]] = get_args(ItemKind)
MarkKind = Literal["superseded", "flagged"]
# It holds now; another item replaced it; somebody doubts it; it has ended or not begun.
Standing = Literal["holds", "superseded", "flagged", "past", "future"]

_BREAKS: Final = re.compile(r"[\s_/\\-]+")
_DRESS: Final = " \t\r\n`'\"*#.,:;!?()[]{}<>“”‘’«»"


@dataclass(frozen=True, slots=True)
class Provenance:
    """The source of an item: a span of a conversation with its words, or a person's own entry, which has no span."""

    quote: str
    at: str = ""
    conversation: str = ""
    artifact: str = ""
    entry: str = ""
    block: int = 0
    first: int = 0
    last: int = 0


@dataclass(frozen=True, slots=True)
class KnowledgeItem:
    """One known thing about a subject.

    `text` is the sentence; a relation also has a `predicate` and an `object`. It holds from `since` through `until`,
    inclusive (ISO dates or times, empty for no end). `by` is who says so: `rules`, or a person.
    """

    kind: ItemKind
    subject: str
    text: str
    provenance: Provenance
    by: str
    predicate: str = ""
    object: str = ""
    domain: str = ""
    since: str = ""
    until: str = ""

    @property
    def key(self) -> str:
        """The normalised name that identifies the subject."""
        return name_key(self.subject)

    @property
    def id(self) -> str:
        """Stable for the same statement, whoever makes it and wherever."""
        said = [self.kind, self.key, name_key(self.text), name_key(self.predicate), name_key(self.object)]
        return "kn-" + digest([*said, self.since, self.until])[3:15]


@dataclass(frozen=True, slots=True)
class Mark:
    """A later remark on an item: that `other` supersedes it, or that it is doubted, and why."""

    item: str
    kind: MarkKind
    reason: str
    by: str
    at: str
    other: str = ""


@dataclass(frozen=True, slots=True)
class KeptItem:
    """An item as stored: when it was recorded, and all later marks on it, oldest first."""

    item: KnowledgeItem
    recorded_at: str
    marks: tuple[Mark, ...] = ()

    def standing(self, now: str) -> Standing:
        """Return its standing at a time (ISO 8601)."""
        kinds = {mark.kind for mark in self.marks}
        if "superseded" in kinds:
            return "superseded"
        if "flagged" in kinds:
            return "flagged"
        if self.item.until and now[: len(self.item.until)] > self.item.until:
            return "past"
        return "future" if self.item.since and now[: len(self.item.since)] < self.item.since else "holds"


def name_key(name: str) -> str:
    """Normalise case, width, surrounding punctuation, dashes and spaces: `Profile-Depth` becomes `profile depth`.

    Accented letters are kept.
    """
    folded = unicodedata.normalize("NFKC", name).casefold()
    return _BREAKS.sub(" ", folded).strip(_DRESS)
