"""Knowledge: facts, entities, relations and decisions with their sources; items are never changed."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Final, Literal

from pactkeeper.ledger.canonical import digest

ItemKind = Literal["fact", "entity", "relation", "decision"]
ITEM_KINDS: Final[tuple[ItemKind, ...]] = ("fact", "entity", "relation", "decision")
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
