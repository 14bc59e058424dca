"""Knowledge: facts, entities, relations and decisions with where they come from; nothing of it is ever changed."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Final, Literal

from pactkeeper.ledger.canonical import digest

ItemKind = Literal["fact", "entity", "relation", "decision"]
ITEM_KINDS: Final[tuple[ItemKind, ...]] = ("fact", "entity", "relation", "decision")
MarkKind = Literal["superseded", "flagged"]
# Holds now; another item replaced it; somebody doubts it; its time is over or has not come.
Standing = Literal["holds", "superseded", "flagged", "past", "future"]

_BREAKS: Final = re.compile(r"[\s_/\\-]+")
_DRESS: Final = " \t\r\n`'\"*#.,:;!?()[]{}<>“”‘’«»"


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where an item comes from: a span of a conversation with its words, or a person's own entry, which has no span."""

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
    """One thing that is known about a subject.

    `text` is the sentence; a relation also has a `predicate` and an `object`. It holds from `since` up to and with
    `until` (ISO dates or times, empty for no end). `by` is who says so: `rules`, or a person.
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
        """What tells subjects apart."""
        return name_key(self.subject)

    @property
    def id(self) -> str:
        """The same thing said again is the same item, whoever says it and wherever."""
        said = [self.kind, self.key, name_key(self.text), name_key(self.predicate), name_key(self.object)]
        return "kn-" + digest([*said, self.since, self.until])[3:15]


@dataclass(frozen=True, slots=True)
class Mark:
    """What was said later about an item: that `other` supersedes it, or that it is doubted, and why."""

    item: str
    kind: MarkKind
    reason: str
    by: str
    at: str
    other: str = ""


@dataclass(frozen=True, slots=True)
class KeptItem:
    """An item as it is kept: when it was recorded, and all that was said about it since, oldest first."""

    item: KnowledgeItem
    recorded_at: str
    marks: tuple[Mark, ...] = ()

    def standing(self, now: str) -> Standing:
        """What it is worth at a time (ISO 8601)."""
        kinds = {mark.kind for mark in self.marks}
        if "superseded" in kinds:
            return "superseded"
        if "flagged" in kinds:
            return "flagged"
        if self.item.until and now[: len(self.item.until)] > self.item.until:
            return "past"
        return "future" if self.item.since and now[: len(self.item.since)] < self.item.since else "holds"


def name_key(name: str) -> str:
    """A name without accidents of case, width, marks around it, dashes and spaces: `Profile-Depth` is `profile depth`.

    Letters with accents stay what they are.
    """
    folded = unicodedata.normalize("NFKC", name).casefold()
    return _BREAKS.sub(" ", folded).strip(_DRESS)
