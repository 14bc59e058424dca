"""What was said in a conversation, cut into pieces that one question can show whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pactkeeper.errors import SourceError
from pactkeeper.intent.conversation import Conversation, ConversationEntry
from pactkeeper.ledger.canonical import JsonValue, digest
from pactkeeper.ledger.question import Question
from pactkeeper.transcripts.marking import Passage, passages
from pactkeeper.transcripts.sources import source_of
from pactkeeper.transcripts.sources.lines import opened
from pactkeeper.transcripts.stretches import stretches

MOST: Final = 20_000  # characters of a piece
LARGEST: Final = 60_000  # characters of one entry; a longer text is pasted, not said
LEAST: Final = 50  # characters in which something may have been decided


@dataclass(frozen=True, slots=True)
class Piece:
    """Consecutive passages; a piece is the same in every file that holds its entries."""

    passages: tuple[Passage, ...]

    @property
    def question(self) -> Question:
        """The question that has its lines marked."""
        entries: list[JsonValue] = [[one.entry.uuid, one.block] for one in self.passages]
        return Question("mark_spans", "talk:" + digest(entries)[3:19], {})


def pieces(entries: Iterable[ConversationEntry]) -> Iterator[Piece]:
    """Cut the talk of some entries; those from the beginning stay as they are when the conversation goes on."""
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
    """The entries before a byte, read again; raises SourceError where the file is no such conversation any more."""
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
