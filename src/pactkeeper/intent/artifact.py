"""Artifacts: what a conversation produced, as spans of it that a program copied, with what is known about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from pactkeeper.intent.conversation import ConversationEntry, RecordPlace
from pactkeeper.ledger.canonical import JsonValue, digest

ArtifactType = Literal[
    "plan", "analysis", "framework", "error_pattern", "decision_with_context", "commitment_update", "event", "statement"
]
ARTIFACT_TYPES: Final[tuple[ArtifactType, ...]] = (
    "plan",
    "analysis",
    "framework",
    "error_pattern",
    "decision_with_context",
    "commitment_update",
    "event",
    "statement",
)
Value = Literal["very_high", "medium", "low"]
VALUES: Final[tuple[Value, ...]] = ("very_high", "medium", "low")
Persistence = Literal["not_persisted", "partial", "persisted"]
PERSISTENCES: Final[tuple[Persistence, ...]] = ("not_persisted", "partial", "persisted")
Change = Literal["reschedule", "completion", "new"]
CHANGES: Final[tuple[Change, ...]] = ("reschedule", "completion", "new")

# What the content of an artifact is joined with where it has several spans.
BETWEEN: Final = "\n\n"


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A span of one block of one entry, with the very text that stands there.

    `first` and `last` count characters of the block's text from 0, `last` being the first one after the span; an empty
    span names an entry whose being there is evidence. `at` is the entry's time.
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
    """What was said about something that somebody means to do; `target` is named in the speaker's own words."""

    target: str
    change: Change


@dataclass(frozen=True, slots=True)
class Signals:
    """What speaks for an artifact, from 0 to 100: how strong the signal is and how explicitly it was given.

    Recency is the artifact's time, and corroboration the number of conversations that show it; both change without the
    artifact and are asked of the store.
    """

    strength: int
    explicitness: int


@dataclass(frozen=True, slots=True)
class Artifact:
    """One work product of a conversation; its words are those of its excerpts and of nobody else.

    `identity` is what makes two of a type the same: the call's id of an event, the content without accidents of
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
        """The same when the conversation is read again, forked or resumed."""
        return "fp-" + digest([self.type, self.identity])[3:35]

    @property
    def id(self) -> str:
        """A short name for the fingerprint."""
        return "ar-" + self.fingerprint[3:15]

    @property
    def at(self) -> str:
        """When the last of it was said, in the source's own words; empty where the source has no times."""
        return self.excerpts[-1].at

    @property
    def file(self) -> str:
        """The file that shows the last of it."""
        return self.excerpts[-1].place.file


def content(artifact: Artifact) -> str:
    """The artifact word for word: the texts of its excerpts in order; one that only names an entry has no text."""
    return BETWEEN.join(excerpt.text for excerpt in artifact.excerpts if excerpt.text)


def excerpt(entry: ConversationEntry, block: int, first: int, last: int) -> Excerpt:
    """Copy a span out of an entry; raises ValueError where the block has no such characters."""
    text = entry.blocks[block].text
    if not 0 <= first <= last <= len(text):
        raise ValueError(f"block {block} of entry {entry.uuid!r} has {len(text)} characters, not {first}..{last}")
    return Excerpt(entry.place, entry.uuid, block, first, last, entry.at, text[first:last])


def identity_of(text: str) -> str:
    """What stays of a text when only white space and letter case differ."""
    return digest(" ".join(text.split()).casefold())
