"""What conversations suggest for boards and documents: artifacts compared with a fresh view, without side effects.

Here is what a reconciliation sees: artifacts with their sources, and one fresh view of everything they may concern.
Also an artifact's confidence, in points and in words, and the default tier of an action.

And existing statements, sentence by sentence, from documents and from everything known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import groupby
from typing import Final

from pactkeeper.intent.actions import MARK, Confidence, ConflictSide, Tier
from pactkeeper.intent.board import Document, Snapshot, Task
from pactkeeper.intent.conversation import Artifact, KeptItem
from pactkeeper.intent.redaction import redacted
from pactkeeper.intent.routing import Routing
from pactkeeper.ledger.health import Health, allows_absence
from pactkeeper.ledger.question import Answer
from pactkeeper.speech.clash import UNRELATED, Compared, compare, is_meant
from pactkeeper.speech.spans import Span, lines, sentences, whole_line
from pactkeeper.speech.words import Filed
from pactkeeper.transcripts.extraction import is_typed
from pactkeeper.transcripts.extraction.products import OF_PERSON

_MOST: Final = 400  # characters of a quoted line


@dataclass(frozen=True, slots=True)
class Stands:
    """One existing sentence; `holds` is set for the active context and decisions, which plans must follow."""

    side: ConflictSide
    text: str
    known: bool = False
    holds: bool = False

    def against(self, sentence: str) -> Compared:
        """Compare a sentence with this one."""
        return compare(sentence, self.text) if is_meant(self.text) else UNRELATED


@dataclass(frozen=True, slots=True)
class StandingItems:
    """All existing statements, those that plans must follow, and an index of all by their words."""

    all: tuple[Stands, ...] = ()
    holding: tuple[Stands, ...] = ()
    filed: Filed = field(default_factory=lambda: Filed({}))

    def near(self, sentence: str) -> Iterator[Stands]:
        """The statements that share at least half of a sentence's stems."""
        yield from (self.all[place] for place in self.filed.near(sentence, share=50))


def standing(
    documents: Iterable[Document], context: Iterable[Document], known: Iterable[KeptItem], now: str
) -> StandingItems:
    """Split documents and currently valid knowledge into statements."""
    found = (
        *(one for document in documents for one in _of_document(document)),
        *(replace(one, holds=True) for document in context for one in _of_document(document)),
        *(_of_known(one) for one in known if one.standing(now) == "holds" and _says(one)),
    )
    holding = tuple(one for one in found if one.holds)
    return StandingItems(found, holding, Filed.of(one.text for one in found))


def _says(known: KeptItem) -> bool:
    """Whether an item is a statement; entities and relations found by rules contradict nothing."""
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
    """An artifact, the first conversation that contains it, that one's folder, and the number of such conversations.

    `moment` is when it counts as said: its own time, but never before what precedes it in its file.
    """

    artifact: Artifact
    conversation: str
    folder: str = ""
    corroboration: int = 1
    moment: datetime | None = None


@dataclass(frozen=True, slots=True)
class BoardView:
    """One board as last seen, and the changes it supports; `tickets` has the texts that threads wrote, by task id."""

    name: str
    snapshot: Snapshot
    writes: frozenset[str]
    tickets: Mapping[str, str] = field(default_factory=dict)

    @property
    def whole(self) -> bool:
        """Whether something it doesn't show can be taken to be absent."""
        return allows_absence(self.snapshot.health)


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit of a repository: its hash, subject, time and author."""

    hash: str
    subject: str
    at: str
    author: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """The repository of a folder: its root, where it was cloned from, and its main branch; empty if there is none.

    `origin` is HOST/PATH or a folder, the same for every clone of one place.
    """

    root: str
    origin: str = ""
    trunk: str = ""

    @property
    def name(self) -> str:
        """The same in every clone and worktree, and where they were cloned from if that is a folder."""
        return self.origin or self.root


@dataclass(frozen=True, slots=True)
class Guide:
    """A file that instructs agents in a folder, such as AGENTS.md or a skill, with its text."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class TranscriptWorld:
    """Everything that artifacts are compared with, as of `now` (ISO 8601).

    `boards` are by name, `commits`, `places` and `guides` (files for agents) by folder. `health` says how completely
    each source was seen. `answers` are by question id. `settled` maps the fingerprints of an action and of an
    artifact to why that one doesn't propose it again; with an empty one, to what was last decided about the action.
    When a reconciliation begins, `standing` is built from documents and knowledge, and `remarks` from what people said,
    by conversation and in its order; `events` are all of the given artifacts' events, and `heard` is what tools
    answered and agents said.
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
    places: Mapping[str, Place] = field(default_factory=dict)
    standing: StandingItems = field(default_factory=StandingItems)
    remarks: Mapping[str, tuple[SeenArtifact, ...]] = field(default_factory=dict)
    events: tuple[SeenArtifact, ...] = ()
    heard: tuple[SeenArtifact, ...] = ()

    def is_same_repository(self, one: str, other: str) -> bool:
        """Whether two folders are the same, or belong to one repository or to clones of it."""
        here, there = self.places.get(one), self.places.get(other)
        return one == other or (here is not None and there is not None and here.name == there.name)

    def task_board(self, domain: str) -> BoardView:
        """The board for a domain's tasks."""
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
        """The documents of the active context, which say what holds now."""
        found = (one for view in self.boards.values() for one in view.snapshot.documents)
        return tuple(one for one in found if self.routing.is_context(one.title))

    @property
    def readable(self) -> tuple[Document, ...]:
        """The documents of every board that describe the current state."""
        return self._open(self.boards.values())

    def _open(self, views: Iterable[BoardView]) -> tuple[Document, ...]:
        """The documents of some boards, without the context and closed sections."""
        closed = {name.casefold() for name in self.routing.never}
        found = (one for view in views for one in view.snapshot.documents if one.section.casefold() not in closed)
        return tuple(one for one in found if not self.routing.is_context(one.title))

    def tasks(self) -> tuple[tuple[BoardView, Task], ...]:
        """Every task of every board."""
        return tuple((view, task) for view in self.boards.values() for task in view.snapshot.tasks)

    def unseen(self, folder: str = "") -> str:
        """Why nothing can be called missing; empty if every relevant source was seen completely.

        A repository is relevant only to what was said in its own folder.
        """
        wanted = [
            (name, health) for name, health in self.health.items() if not name.startswith(GIT) or name == GIT + folder
        ]
        return "; ".join(f"{name} is {one.status}: {one.reason}" for name, one in wanted if not allows_absence(one))


GIT = "git "


# Points by maximum age in days, and by number of conversations.
FRESH_DAYS, FRESH = 3, 90  # what is older needs a person, however plain it is
_RECENT: Final = ((1, 100), (FRESH_DAYS, FRESH), (7, 75), (14, 50), (31, 25))
_SHOWN: Final = (0, 50, 80, 100)
_BY_TOOL: Final = 100  # how explicit a tool's answer is
PRODUCTS: Final = frozenset({"plan", "analysis", "framework"})
MENTIONED: Final = 70  # the most points for the strength of a tool's answer that doesn't plainly show it
# Reversible verbs that change no existing words; everything else needs a person, however sure it is.
_BACK: Final = frozenset(
    {"createTask", "logTask", "completeTask", "createDocument", "enrichDocument", "updateDocumentMeta"}
)


def sure(seen: SeenArtifact, now: str) -> Confidence:
    """The four inputs to an artifact's confidence at a time (ISO 8601)."""
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
    """Parse an ISO 8601 time for comparison; None if it is invalid. Without an offset it counts as UTC."""
    try:
        found = datetime.fromisoformat(at)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def tier_of(verb: str, confidence: Confidence, *, machine: bool) -> Tier:
    """Tier 1 only for a reversible action shown by a tool's own answer with high confidence; else a person is asked."""
    return 1 if machine and confidence.level == "high" and verb in _BACK else 2


def in_words(confidence: Confidence, artifact: Artifact) -> str:
    """One line that explains the confidence of what an artifact suggests."""
    parts = (
        ("clear signal" if confidence.strength >= 90 else "indirect signal", confidence.strength),  # noqa: PLR2004
        (_stated(artifact), confidence.explicitness),
        ("how recent", confidence.recency),
        ("how often seen", confidence.corroboration),
    )
    return f"{confidence.level}, {confidence.points} points: " + ", ".join(f"{noun} {value}" for noun, value in parts)


def _stated(artifact: Artifact) -> str:
    """Who says what an artifact says; one that a model marked may be anybody's."""
    explicitness = artifact.signals.explicitness
    if explicitness == _BY_TOOL:
        return "tool result"
    if "marked_by" in artifact.facts:
        return "found by a model"
    return "stated by the agent" if artifact.type in PRODUCTS and explicitness != OF_PERSON else "stated by a person"


_EARLIEST: Final = datetime.min.replace(tzinfo=UTC)


def timed(artifacts: Iterable[SeenArtifact]) -> tuple[SeenArtifact, ...]:
    """The artifacts in the given order, each with its moment; a clock that steps back in a file reorders nothing."""
    given = tuple(artifacts)
    moments: dict[int, datetime | None] = {}
    placed = sorted(range(len(given)), key=lambda row: place_of(given[row]))
    for _, rows in groupby(placed, lambda row: given[row].artifact.file):
        above: datetime | None = None
        for _, here in groupby(rows, lambda row: place_of(given[row])):
            own = {row: instant(given[row].artifact.at) for row in here}
            moments |= {row: (above if at and above and above > at else at) for row, at in own.items()}
            above = max(filter(None, (above, *own.values())), default=None)
    return tuple(replace(seen, moment=moments[row]) for row, seen in enumerate(given))


def in_time(artifacts: Iterable[SeenArtifact]) -> tuple[SeenArtifact, ...]:
    """Sort by moment, earliest first; within a file ties keep their position, else the given order."""
    given = tuple(artifacts)
    files = {seen.artifact.file: row for row, seen in reversed(tuple(enumerate(given)))}
    placed = sorted(given, key=lambda seen: (files[seen.artifact.file], place_of(seen)))
    return tuple(sorted(placed, key=lambda seen: seen.moment or _EARLIEST))


def follows(one: SeenArtifact, other: SeenArtifact) -> bool:
    """Whether `one` was certainly said after `other`; False if either has no time."""
    if one.moment is None or other.moment is None or one.moment < other.moment:
        return False
    (file, start), (others, earlier) = place_of(one), place_of(other)
    return one.moment > other.moment or (file == others and start > earlier)


def comes_after(one: SeenArtifact, other: SeenArtifact) -> bool:
    """Whether `one` stands further down in the same file, or was certainly said later in another one."""
    (file, start), (others, earlier) = place_of(one), place_of(other)
    return start > earlier if file == others and start != earlier else follows(one, other)


def is_later(one: SeenArtifact, other: SeenArtifact) -> bool:
    """Whether `one` stands further down in the same file, or in another one and wasn't certainly said before."""
    is_elsewhere = one.artifact.file != other.artifact.file
    return not comes_after(other, one) if is_elsewhere else comes_after(one, other)


def place_of(seen: SeenArtifact) -> tuple[str, int]:
    """Where an artifact ends: its file, and the offset of the record."""
    place = seen.artifact.excerpts[-1].place
    return place.file, place.start
