"""What a model may do with a transcript: mark, group, title and classify its lines, whose text is copied unchanged.

A conversation is cut into pieces that each fit into one question.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
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
from pactkeeper.ledger.canonical import JsonValue, digest
from pactkeeper.ledger.question import MARKS, Question
from pactkeeper.ledger.shape import misfits
from pactkeeper.transcripts.sources import source_of
from pactkeeper.transcripts.sources.records import opened
from pactkeeper.transcripts.stretches import stretches

# A model's mark is a weak signal, but strong enough to ask a person about it.
MARKED: Final = Signals(60, 55)


@dataclass(frozen=True, slots=True)
class Passage:
    """A text block that can be marked, and the number under which the model sees it."""

    number: int
    entry: ConversationEntry
    block: int

    @property
    def lines(self) -> list[str]:
        """Its lines without line endings."""
        return self.entry.blocks[self.block].text.split("\n")


def passages(entries: Sequence[ConversationEntry]) -> tuple[Passage, ...]:
    """The texts of people and the agent, numbered from 1, without tool output, summaries and meta text."""
    spoken = [
        (entry, block)
        for entry in entries
        if entry.by_person or entry.role == "assistant"
        for block, one in enumerate(entry.blocks)
        if one.kind == "text" and one.text.strip()
    ]
    return tuple(Passage(number, *one) for number, one in enumerate(spoken, 1))


def material(found: Sequence[Passage]) -> str:
    """The text shown to a model: every line with its entry and line number, secrets replaced."""
    return "\n".join(line for passage in found for line in _shown(passage))


def _shown(passage: Passage) -> Iterator[str]:
    yield f"[{passage.number}] {passage.entry.role}"
    for number, line in enumerate(redacted("\n".join(passage.lines)).split("\n"), 1):
        yield f"{passage.number}:{number} {line}"


def wrong_marks(value: JsonValue, found: Sequence[Passage]) -> tuple[str, ...]:
    """All reasons to reject marks: the wrong shape, or lines that don't exist in the transcript."""
    problems = tuple(str(one) for one in misfits(value, MARKS, "answer"))
    return problems or tuple(_missing(cast("list[Mapping[str, JsonValue]]", value), found))


def _missing(marks: Sequence[Mapping[str, JsonValue]], found: Sequence[Passage]) -> Iterator[str]:
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


def marked(value: JsonValue, found: Sequence[Passage]) -> tuple[Artifact, ...]:
    """Copy the marked lines from the transcript into artifacts; raise ValueError if `wrong_marks` finds a problem."""
    problems = wrong_marks(value, found)
    if problems:
        raise ValueError("; ".join(problems))
    by_number = {passage.number: passage for passage in found}
    return tuple(_artifact(mark, by_number) for mark in cast("list[Mapping[str, JsonValue]]", value))


def _artifact(mark: Mapping[str, JsonValue], found: Mapping[int, Passage]) -> Artifact:
    parts = tuple(_copied(found[entry], first, last) for entry, first, last in sorted(_spans(mark)))
    said = "\n".join(part.text for part in parts)
    kind = cast("ArtifactType", mark["type"])
    facts: dict[str, JsonValue] = {"marked_by": "model"}
    return Artifact(kind, str(mark["title"]), parts, MARKED, "medium", identity_of(said), facts=facts)


def _copied(passage: Passage, first: int, last: int) -> Excerpt:
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

    passages: tuple[Passage, ...]

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
                f"{conversation.file!r} is no transcript of {conversation.source} any more; ingest it again"
            )
        for stretch in stretches(file, source, conversation, 0):
            yield from (entry for entry in stretch.entries if entry.place.start < until)
            if stretch.end >= until:
                return
