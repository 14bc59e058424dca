"""What a reconciliation sees: artifacts with who shows them, and one fresh view of everything they may concern.

How sure an artifact makes an action, as whole numbers and in words, and which tier that is by default.

What stands elsewhere, sentence by sentence: in documents, and in everything that is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Final

from pactkeeper.intent.actions import MARK, Confidence, ConflictSide, Tier
from pactkeeper.intent.board import Document, Snapshot, Task
from pactkeeper.intent.conversation import Artifact
from pactkeeper.intent.knowledge import KeptItem
from pactkeeper.intent.redaction import redacted
from pactkeeper.intent.routing import Routing
from pactkeeper.ledger.health import Health, allows_absence
from pactkeeper.ledger.question import Answer
from pactkeeper.speech.clash import UNRELATED, Compared, compare, is_meant
from pactkeeper.speech.spans import Span, lines, sentences, whole_line
from pactkeeper.speech.words import Filed
from pactkeeper.transcripts.extraction.window import is_typed

_MOST: Final = 400  # characters of a line that is quoted


@dataclass(frozen=True, slots=True)
class Stands:
    """One sentence that stands somewhere; `holds` says that it is of the active context or a decision.

    Those plans have to follow.
    """

    side: ConflictSide
    text: str
    known: bool = False
    holds: bool = False

    def against(self, sentence: str) -> Compared:
        """How a sentence stands to it."""
        return compare(sentence, self.text) if is_meant(self.text) else UNRELATED


@dataclass(frozen=True, slots=True)
class StandingItems:
    """Everything that stands, that of it which plans have to follow, and all of it filed by its words."""

    all: tuple[Stands, ...] = ()
    holding: tuple[Stands, ...] = ()
    filed: Filed = field(default_factory=lambda: Filed({}))

    def near(self, sentence: str) -> Iterator[Stands]:
        """All that shares at least half of the stems of a sentence."""
        yield from (self.all[place] for place in self.filed.near(sentence, share=50))


def standing(
    documents: Iterable[Document], context: Iterable[Document], known: Iterable[KeptItem], now: str
) -> StandingItems:
    """Take documents and what holds of what is known apart."""
    found = (
        *(one for document in documents for one in _of_document(document)),
        *(replace(one, holds=True) for document in context for one in _of_document(document)),
        *(_of_known(one) for one in known if one.standing(now) == "holds" and _says(one)),
    )
    holding = tuple(one for one in found if one.holds)
    return StandingItems(found, holding, Filed.of(one.text for one in found))


def _says(known: KeptItem) -> bool:
    """Whether an item is somebody's statement; what rules name and relate denies nothing."""
    return known.item.kind in {"fact", "decision"} or known.item.by != "rules"


def _of_known(known: KeptItem) -> Stands:
    item = known.item
    quote = item.provenance.quote if item.kind == "decision" and item.provenance.quote else item.text
    side = ConflictSide(f"{item.kind} {item.id}", redacted(quote[:_MOST]), item.provenance.at)
    return Stands(side, quote, known=True, holds=item.kind == "decision")


def _of_document(document: Document) -> Iterator[Stands]:
    for line in lines(document.body):
        side = _side(document, whole_line(document.body, line).text)
        if line.kind != "heading" and is_typed(line) and MARK not in side.quote and "pactkeeper:" not in side.quote:
            for one in sentences(document.body, Span(line.start, line.end, line.text)):
                yield Stands(side, one.text)


def _side(document: Document, quote: str) -> ConflictSide:
    return ConflictSide(f"document “{document.title}”", redacted(quote[:_MOST]), document.updated_at)


@dataclass(frozen=True, slots=True)
class SeenArtifact:
    """An artifact, the conversation that showed it first, the folder of that, and how many conversations show it.

    `moment` is when it counts as said: its own time, but never before what stands above it in its file.
    """

    artifact: Artifact
    conversation: str
    folder: str = ""
    corroboration: int = 1
    moment: datetime | None = None


@dataclass(frozen=True, slots=True)
class BoardView:
    """One board as it was just seen, and which changes it can take."""

    name: str
    snapshot: Snapshot
    writes: frozenset[str]

    @property
    def whole(self) -> bool:
        """Whether what it does not show is not there."""
        return allows_absence(self.snapshot.health)


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit of a repository: its hash, first line, time and author."""

    hash: str
    subject: str
    at: str
    author: str = ""


@dataclass(frozen=True, slots=True)
class Guide:
    """A file that tells agents how to work in a folder, such as AGENTS.md or a skill, with its text."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class World:
    """Everything that artifacts are held against, as it was at `now` (ISO 8601).

    `boards` are by name, `commits` and `guides` (files for agents) by folder. `health` says of every source how much of
    it was seen. `answers` are by question id. `settled` says by the fingerprints of an action and its artifact why it
    is not proposed again. `standing` is made of documents and what is known when a reconciliation begins.
    """

    now: str
    routing: Routing
    boards: Mapping[str, BoardView]
    known: tuple[KeptItem, ...] = ()
    commits: Mapping[str, tuple[Commit, ...]] = field(default_factory=dict)
    health: Mapping[str, Health] = field(default_factory=dict)
    answers: Mapping[str, Answer] = field(default_factory=dict)
    settled: Mapping[tuple[str, str], str] = field(default_factory=dict)
    guides: Mapping[str, tuple[Guide, ...]] = field(default_factory=dict)
    standing: StandingItems = field(default_factory=StandingItems)

    def task_board(self, domain: str) -> BoardView:
        """The board for tasks of a domain."""
        return self.boards[self.routing.board_of(domain)]

    @property
    def document_board(self) -> BoardView:
        """The board for documents."""
        return self.boards[self.routing.documents]

    @property
    def documents(self) -> tuple[Document, ...]:
        """The documents that may be written to."""
        return self._open((self.document_board,))

    @property
    def context(self) -> tuple[Document, ...]:
        """The documents that say what holds now."""
        found = (one for view in self.boards.values() for one in view.snapshot.documents)
        return tuple(one for one in found if self.routing.is_context(one.title))

    @property
    def readable(self) -> tuple[Document, ...]:
        """The documents of every board that say how things are."""
        return self._open(self.boards.values())

    def _open(self, views: Iterable[BoardView]) -> tuple[Document, ...]:
        """The documents of some boards but the context and those in closed sections."""
        closed = {name.casefold() for name in self.routing.never}
        found = (one for view in views for one in view.snapshot.documents if one.section.casefold() not in closed)
        return tuple(one for one in found if not self.routing.is_context(one.title))

    def tasks(self) -> tuple[tuple[BoardView, Task], ...]:
        """Every task of every board."""
        return tuple((view, task) for view in self.boards.values() for task in view.snapshot.tasks)

    def unseen(self, folder: str = "") -> str:
        """Why nothing may be said to be missing; empty where every source that matters was seen completely.

        A repository matters to what was said in its own folder only.
        """
        wanted = [
            (name, health) for name, health in self.health.items() if not name.startswith(GIT) or name == GIT + folder
        ]
        return "; ".join(f"{name} is {one.status}: {one.reason}" for name, one in wanted if not allows_absence(one))


GIT = "git "


# Points by the greatest age in days, and by the number of conversations.
_RECENT: Final = ((1, 100), (3, 90), (7, 75), (14, 50), (31, 25))
_SHOWN: Final = (0, 50, 80, 100)
# What can be taken back and changes no words; all else is a person's word, whatever is known.
_BACK: Final = frozenset(
    {"createTask", "logTask", "completeTask", "createDocument", "enrichDocument", "updateDocumentMeta"}
)


def sure(seen: SeenArtifact, now: str) -> Confidence:
    """The four inputs of an artifact at a time (ISO 8601)."""
    signals = seen.artifact.signals
    shown = _SHOWN[min(seen.corroboration, len(_SHOWN) - 1)]
    return Confidence(signals.strength, signals.explicitness, _recency(seen.artifact.at, now), shown)


def _recency(at: str, now: str) -> int:
    then = instant(at)
    today = instant(now)
    if then is None or today is None:
        return 0
    days = (today - then).total_seconds() / 86400
    return next((points for most, points in _RECENT if days <= most), 0)


def instant(at: str) -> datetime | None:
    """A time as it can be compared; None for one that is no ISO 8601. One without an offset counts as UTC."""
    try:
        found = datetime.fromisoformat(at)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def tier_of(verb: str, confidence: Confidence, *, machine: bool) -> Tier:
    """Tier 1 only for what a tool's own answer shows, that is sure and can be taken back; else a person is asked."""
    return 1 if machine and confidence.level == "high" and verb in _BACK else 2


def in_words(confidence: Confidence) -> str:
    """Why it is as sure as it is, in one line."""
    parts = (
        ("a plain signal" if confidence.strength >= 90 else "a weaker signal", confidence.strength),  # noqa: PLR2004
        ("a tool's own answer" if confidence.explicitness == 100 else "somebody's words", confidence.explicitness),  # noqa: PLR2004
        ("recency", confidence.recency),
        ("corroboration", confidence.corroboration),
    )
    return f"{confidence.level}, {confidence.points} points: " + ", ".join(f"{noun} {value}" for noun, value in parts)
