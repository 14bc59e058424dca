"""Have a model mark what the rules missed: it marks, groups, titles and classifies lines; their text is copied.

A conversation is cut into pieces that each fit into one question.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, cast

from pactkeeper.errors import SourceError
from pactkeeper.intent.conversation import (
    Artifact,
    ArtifactType,
    Conversation,
    ConversationEntry,
    Excerpt,
    Signals,
    excerpt,
    identity_of,
)
from pactkeeper.intent.redaction import redacted
from pactkeeper.ledger.answering import Asker, Budget, Exceeded, Prompt, Reply
from pactkeeper.ledger.canonical import JsonValue, digest
from pactkeeper.ledger.question import MARKABLE, MARKS, Answer, Question, Refusal, left_to_people
from pactkeeper.ledger.shape import misfits
from pactkeeper.prompts import PromptSection, render
from pactkeeper.store.conversations import StoredConversation, conversation_number, list_artifacts, save_artifacts
from pactkeeper.store.history import History
from pactkeeper.store.questions import refusals, save_refusal
from pactkeeper.transcripts.extraction.extract import described
from pactkeeper.transcripts.ingest import stretches
from pactkeeper.transcripts.sources import source_of
from pactkeeper.transcripts.sources.records import opened

# A model's mark is a weak signal, but strong enough to ask a person about it.
MARKED: Final = Signals(60, 55)


@dataclass(frozen=True, slots=True)
class MarkedPassage:
    """A text block that can be marked, and the number under which the model sees it."""

    number: int
    entry: ConversationEntry
    block: int

    @property
    def lines(self) -> list[str]:
        """Its lines without line endings."""
        return self.entry.blocks[self.block].text.split("\n")


def passages(entries: Sequence[ConversationEntry]) -> tuple[MarkedPassage, ...]:
    """The texts of people and the agent, numbered from 1, without tool output, summaries and meta text."""
    spoken = [
        (entry, block)
        for entry in entries
        if entry.by_person or entry.role == "assistant"
        for block, one in enumerate(entry.blocks)
        if one.kind == "text" and one.text.strip()
    ]
    return tuple(MarkedPassage(number, *one) for number, one in enumerate(spoken, 1))


def material(found: Sequence[MarkedPassage]) -> str:
    """The text shown to a model: every line with its entry and line number, secrets replaced."""
    return "\n".join(line for passage in found for line in _shown(passage))


def _shown(passage: MarkedPassage) -> Iterator[str]:
    yield f"[{passage.number}] {passage.entry.role}"
    for number, line in enumerate(redacted("\n".join(passage.lines)).split("\n"), 1):
        yield f"{passage.number}:{number} {line}"


def wrong_marks(value: JsonValue, found: Sequence[MarkedPassage]) -> tuple[str, ...]:
    """All reasons to reject marks: the wrong shape, or lines that don't exist in the transcript."""
    problems = tuple(str(one) for one in misfits(value, MARKS, "answer"))
    return problems or tuple(_missing(cast("list[Mapping[str, JsonValue]]", value), found))


def _missing(marks: Sequence[Mapping[str, JsonValue]], found: Sequence[MarkedPassage]) -> Iterator[str]:
    lengths = {passage.number: len(passage.lines) for passage in found}
    for index, mark in enumerate(marks):
        for entry, first, last in _spans(mark):
            if entry not in lengths:
                yield f"answer[{index}]: there is no entry {entry}"
            elif not first <= last <= lengths[entry]:
                yield f"answer[{index}]: entry {entry} has {lengths[entry]} lines, not {first} to {last}"


def _spans(mark: Mapping[str, JsonValue]) -> list[tuple[int, int, int]]:
    spans = cast("list[Mapping[str, int]]", mark["spans"])
    return [(span["entry"], span["first_line"], span["last_line"]) for span in spans]


def marked(value: JsonValue, found: Sequence[MarkedPassage]) -> tuple[Artifact, ...]:
    """Copy the marked lines from the transcript into artifacts; raise ValueError if `wrong_marks` finds a problem."""
    problems = wrong_marks(value, found)
    if problems:
        raise ValueError("; ".join(problems))
    by_number = {passage.number: passage for passage in found}
    return tuple(_artifact(mark, by_number) for mark in cast("list[Mapping[str, JsonValue]]", value))


def _artifact(mark: Mapping[str, JsonValue], found: Mapping[int, MarkedPassage]) -> Artifact:
    parts = tuple(_copied(found[entry], first, last) for entry, first, last in sorted(_spans(mark)))
    said = "\n".join(part.text for part in parts)
    kind = cast("ArtifactType", mark["type"])
    facts: dict[str, JsonValue] = {"marked_by": "model"}
    return Artifact(kind, str(mark["title"]), parts, MARKED, "medium", identity_of(said), facts=facts)


def _copied(passage: MarkedPassage, first: int, last: int) -> Excerpt:
    lines = passage.lines
    start = sum(len(line) + 1 for line in lines[: first - 1])
    end = start + len("\n".join(lines[first - 1 : last]).rstrip("\r"))
    return excerpt(passage.entry, passage.block, start, end)


MOST: Final = 20_000  # characters of a piece
LARGEST: Final = 60_000  # characters of one entry; a longer text is pasted, not said
LEAST: Final = 50  # characters below which nothing can have been decided


@dataclass(frozen=True, slots=True)
class Piece:
    """Consecutive passages; a piece is the same in every file that contains its entries."""

    passages: tuple[MarkedPassage, ...]

    @property
    def question(self) -> Question:
        """The question that asks to mark its lines."""
        entries: list[JsonValue] = [[one.entry.uuid, one.block] for one in self.passages]
        return Question("mark_spans", "talk:" + digest(entries)[3:19], {})


def pieces(entries: Iterable[ConversationEntry]) -> Iterator[Piece]:
    """Cut entries into pieces; earlier pieces stay the same as the conversation grows."""
    held: list[ConversationEntry] = []
    size = 0
    for entry in entries:
        length = sum(len(one.entry.blocks[one.block].text) for one in passages([entry]))
        if not 0 < length <= LARGEST:
            continue
        if held and size + length > MOST:
            yield from _piece(held, size)
            held, size = [], 0
        held.append(entry)
        size += length
    yield from _piece(held, size)


def _piece(entries: list[ConversationEntry], size: int) -> Iterator[Piece]:
    if size >= LEAST:
        yield Piece(passages(entries))


def entries_of(conversation: Conversation, *, until: int) -> Iterator[ConversationEntry]:
    """Read the entries before a byte again; raise SourceError if the file is no longer this conversation."""
    with opened(Path(conversation.file)) as file:
        source = source_of(file)
        if source is None or source.name != conversation.source:
            raise SourceError(
                f"{conversation.file!r} is no longer a transcript of {conversation.source}; ingest it again"
            )
        for stretch in stretches(file, source, conversation, 0):
            yield from (entry for entry in stretch.entries if entry.place.start < until)
            if stretch.end >= until:
                return


_ROOM = 2_000  # characters of prompt material besides the conversation


@dataclass(frozen=True, slots=True)
class Marking:
    """The result of asking: pieces counted by outcome, new artifacts, and marks that were already known.

    `unread` says why a conversation can no longer be read. `money` is in millionths of a US dollar.
    """

    answered: int = 0
    cached: int = 0
    refused: int = 0
    failed: int = 0
    over_budget: int = 0
    artifacts: int = 0
    known: int = 0
    money: int = 0
    unread: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()


def prompt_of(piece: Piece) -> Prompt:
    """The prompt for a piece: numbered lines with secrets removed, never truncated."""
    shown = material(piece.passages)
    return render(piece.question, [PromptSection("Conversation", shown, len(shown))], budget=len(shown) + _ROOM)


@dataclass(slots=True)
class Marker:
    """Ask about one conversation after another and store each marked artifact once.

    `found` maps entry and block to the spans of all known artifacts, including those found by rules.
    """

    history: History
    asker: Asker
    budget: Budget
    now: Callable[[], str]
    total: Marking = field(default_factory=Marking)
    found: dict[tuple[str, int], list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        for stored in list_artifacts(self.history, types=MARKABLE):
            self._remember(stored.artifact)

    async def mark(self, stored: StoredConversation) -> bool:
        """Ask about one conversation up to its bookmark; False when the budget is exhausted."""
        try:
            found = tuple(pieces(entries_of(stored.conversation, until=stored.bookmark.offset)))
        except SourceError as error:
            self.total = replace(self.total, unread=(*self.total.unread, str(error)))
            return True
        done = left_to_people(refusals(self.history), answerer="model", by=self.asker.name)
        fresh = ((prompt_of(piece), piece) for piece in found if piece.question.id not in done)
        asked = {prompt.key: (prompt, piece) for prompt, piece in fresh}
        number = conversation_number(self.history, stored.conversation.id)
        after = await self.asker.ask(
            [prompt for prompt, _ in asked.values()],
            check=lambda prompt, value: wrong_marks(value, asked[prompt.key][1].passages),
            keep=lambda reply: self._keep(reply, asked[reply.prompt.key][1], number),
            budget=self.budget,
        )
        self.budget = after.budget if isinstance(after, Exceeded) else after
        return not isinstance(after, Exceeded)

    def _keep(self, reply: Reply, piece: Piece, number: int) -> None:
        self.total = _counted(self.total, reply)
        if _COUNTED[reply.state] == "refused":
            answer = Answer(piece.question.id, reply.value, "model", self.asker.name, self.now())
            save_refusal(self.history, Refusal(answer, reply.reasons or (f"it was {reply.state}",), final=True))
        if reply.state != "answered":
            return
        fresh, known = self._fresh(reply.value, piece)
        new = save_artifacts(self.history, number, fresh, at=self.now())
        self.total = replace(self.total, artifacts=self.total.artifacts + new, known=self.total.known + known)

    def _fresh(self, value: JsonValue, piece: Piece) -> tuple[list[Artifact], int]:
        """Return the new artifacts in an answer, and how many were already known."""
        entries = {one.entry.uuid: one.entry for one in piece.passages}
        fresh: list[Artifact] = []
        given = marked(value, piece.passages)
        for one in given:
            if not any(self._is_known(part) for part in one.excerpts):
                fresh.append(described(one, entries[one.excerpts[-1].entry]))
                self._remember(one)
        return fresh, len(given) - len(fresh)

    def _is_known(self, part: Excerpt) -> bool:
        """Whether a known span overlaps at least half of the shorter of the two."""
        spans = self.found.get((part.entry, part.block), ())
        return any(_share((part.first, part.last), span) for span in spans)

    def _remember(self, artifact: Artifact) -> None:
        for part in artifact.excerpts:
            self.found[part.entry, part.block].append((part.first, part.last))


def _share(one: tuple[int, int], other: tuple[int, int]) -> bool:
    both = min(one[1], other[1]) - max(one[0], other[0])
    return both > 0 and 2 * both >= min(one[1] - one[0], other[1] - other[0])


_COUNTED: Mapping[str, str] = {
    "answered": "answered",
    "refused": "refused",
    "objected": "refused",
    "malformed": "refused",
    "failed": "failed",
    "over budget": "over_budget",
}


def _counted(total: Marking, reply: Reply) -> Marking:
    name = "cached" if reply.cached else _COUNTED[reply.state]
    money = total.money + (reply.usage.money or 0)
    reasons = (*total.reasons, *reply.reasons)[:_SHOWN]
    return replace(total, **{name: getattr(total, name) + 1}, money=money, reasons=reasons)


_SHOWN = 5  # reasons reported


def prompts_of(conversations: Sequence[StoredConversation]) -> Iterator[Prompt]:
    """Yield every prompt for some conversations, skipping those that can no longer be read."""
    for stored in conversations:
        try:
            found = tuple(pieces(entries_of(stored.conversation, until=stored.bookmark.offset)))
        except SourceError:
            continue
        yield from (prompt_of(one) for one in found)
